import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Credentials,
  createWebhookHandler,
  type Notification,
  parseNotification,
  toNodeListener,
  verifyAuthorization,
} from 'pix-automatic-sdk/webhooks';
import { afterAll } from 'vitest';

/** Tests that run at the same time share what ends with their file. */
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

/** Listens on loopback until the file's tests end. `/actions` counts what the listener has done. */
async function listen(listener: RequestListener, actions: () => unknown) {
  const server = createServer((request, response) => {
    if (request.url !== '/actions') return void listener(request, response);
    response.end(JSON.stringify(actions()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  stops.push(stop);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/webhooks`, effects: `${origin}/actions`, stop };
}

/** Answers everything the same way, and keeps what it was sent. */
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

/** The library's own listener; it counts by kind. */
export function startLibraryListener(credentials: Credentials) {
  const actions: Record<string, number> = {};
  const act = ({ kind }: Notification) => {
    actions[kind] = (actions[kind] ?? 0) + 1;
  };
  const on = { payment: act, saleStatus: act, reversal: act, refund: act, payout: act, unrecognized: act };
  const handler = createWebhookHandler({ credentials, on, onReport: () => undefined });
  return listen(toNodeListener(handler), () => actions);
}

/** What a listener may get wrong; each is one thing. */
export interface Mistake {
  readonly checksNoCredentials?: boolean;
  /** Looks at a part of the credentials alone. */
  readonly checksOnly?: 'key' | 'token';
  readonly success?: number;
  /** What it takes for a notification's identity. */
  readonly keyOf?: (notification: Notification) => string;
  readonly saysDuplicate?: boolean;
  readonly remembersNothing?: boolean;
  /** Looks, then waits, then writes down. */
  readonly claimsLate?: boolean;
  readonly failsOn?: (notification: Notification) => boolean;
  readonly diesOn?: (notification: Notification) => boolean;
  readonly delayMs?: number;
}

/** A listener written by hand, right but for its mistake. */
export async function startListener(credentials: Credentials, mistake: Mistake = {}) {
  const handled = new Set<string>();
  let actions = 0;

  const isLetIn = (header: string | undefined) => {
    if (mistake.checksNoCredentials) return true;
    if (mistake.checksOnly === undefined) return verifyAuthorization(header, credentials);
    const [key, token] = Buffer.from(header?.slice('Basic '.length) ?? '', 'base64')
      .toString()
      .split(':');
    return mistake.checksOnly === 'key' ? key === credentials.apiKey : token === credentials.apiToken;
  };

  const listener = await listen(
    async (request, response) => {
      await sleep(mistake.delayMs ?? 0);
      if (!isLetIn(request.headers.authorization)) return response.writeHead(401).end();
      const notification = parseNotification({ url: request.url, body: await text(request) });
      if (mistake.diesOn?.(notification)) return listener.stop();
      if (mistake.failsOn?.(notification)) return response.writeHead(500).end();
      const key = mistake.keyOf?.(notification) ?? notification.key;
      const isNew = !handled.has(key) || mistake.remembersNothing;
      if (mistake.claimsLate) await sleep(60);
      handled.add(key);
      if (isNew) actions++;
      response
        .writeHead(mistake.success ?? 200)
        .end(mistake.saysDuplicate && !isNew ? 'seen before' : 'thanks');
    },
    () => actions,
  );
  return listener;
}
