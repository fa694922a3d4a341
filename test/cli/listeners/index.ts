import { text } from 'node:stream/consumers';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { type Credentials, createWebhookHandler, type Notification } from 'pix-automatic-sdk/webhooks';
import { listen } from './listen';
import { amountOf, type Booked, right, subjectOf } from './merchant';

/** Answers every request the same way, and keeps the requests. */
export async function startRecorder(status: number, answer = '') {
  const received: { url: string; authorization: string; body: Record<string, unknown> }[] = [];
  const listener = await listen(
    async (request, response) => {
      const { authorization = '' } = request.headers;
      const given = await text(request);
      received.push({
        url: request.url ?? '',
        authorization,
        body: given.startsWith('{') ? JSON.parse(given) : { given },
      });
      response.writeHead(status).end(answer.replace('{authorization}', authorization));
    },
    () => [],
  );
  return { ...listener, received };
}

/** The library’s own listener, which books what it gets. With a client it confirms payments. */
export function startLibraryListener(credentials: Credentials, confirm?: PaymentsClient) {
  const rows: Booked[] = [];
  const act = ({ kind, raw }: Notification) => {
    const booked = right.bookedAs(right.kindOf(new URL('http://shop.invalid'), raw), raw);
    if (kind !== 'unrecognized' && booked !== undefined)
      rows.push({ kind: booked, subject: subjectOf(raw), amount: amountOf(raw) });
  };
  const on = { payment: act, saleStatus: act, reversal: act, refund: act, payout: act, unrecognized: act };
  const handler = createWebhookHandler({ credentials, confirm, on, onReport: () => undefined });
  return listen(handler, () => rows);
}
