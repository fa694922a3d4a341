import { text } from 'node:stream/consumers';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { type Credentials, createWebhookHandler, type Notification } from 'pix-automatic-sdk/webhooks';
import { listen } from './listen';

/** Answers every request the same way, and keeps the requests. */
export async function startRecorder(status: number, answer = '') {
  const received: { url: string; authorization: string; body: Record<string, unknown> }[] = [];
  const listener = await listen(
    async (request, response) => {
      const { authorization = '' } = request.headers;
      received.push({
        url: request.url ?? '',
        authorization,
        body: JSON.parse((await text(request)) || '{}'),
      });
      response.writeHead(status).end(answer.replace('{authorization}', authorization));
    },
    () => received.length,
  );
  return { ...listener, received };
}

/** The library’s own listener, which counts its actions by kind. With a client it confirms payments. */
export function startLibraryListener(credentials: Credentials, confirm?: PaymentsClient) {
  const actions: Record<string, number> = {};
  const act = ({ kind }: Notification) => {
    actions[kind] = (actions[kind] ?? 0) + 1;
  };
  const on = { payment: act, saleStatus: act, reversal: act, refund: act, payout: act, unrecognized: act };
  const handler = createWebhookHandler({ credentials, confirm, on, onReport: () => undefined });
  return listen(handler, () => actions);
}
