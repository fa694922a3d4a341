import { inspect } from 'node:util';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { MemoryStore, type WebhookHandlerOptions, type WebhookReport } from 'pix-automatic-sdk/webhooks';
import { type Asked, settle } from '../../src/orders/settle';
import { createListener as createOwn, type ListenerParts } from '../../src/webhooks/handler';
import type { Outcome } from '../../src/webhooks/outcome';
import { authorization, credentials } from '../helpers/deliver';
import { salePayload } from './payloads';

export { authorization, credentials };

/** The header for a pair, made by Node’s own Base64 and not by ours (document section 5). */
export function basic({ apiKey, apiToken }: { readonly apiKey: string; readonly apiToken: string }): string {
  return `Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`;
}

/** A handler, with what its callbacks and `onReport` were told. */
export interface Listener extends ListenerParts {
  readonly settle: (paid: Asked) => Promise<Outcome>;
  readonly acted: readonly string[];
  readonly reports: readonly WebhookReport[];
}

/** Acts on every documented kind by noting the key, unless the options say otherwise; those of own kinds are any. */
export function createListener(options: Partial<WebhookHandlerOptions> | object = {}): Listener {
  const acted: string[] = [];
  const reports: WebhookReport[] = [];
  const note = ({ key }: { readonly key: string }) => void acted.push(key);
  const on = { payment: note, saleStatus: note, reversal: note, refund: note, payout: note };
  const onReport = (report: WebhookReport) => reports.push(report);
  const listener = createOwn({ credentials, store: new MemoryStore(), on, onReport, ...options });
  return { ...listener, settle: (paid) => settle(paid, listener), acted, reports };
}

/** Each report in a line: `busy 503 payment:s-1:PAID`, with the key of what could be read. */
export const linesOf = (reports: readonly WebhookReport[]) =>
  reports.map(({ code, status, key }) => [code, status, key].filter(Boolean).join(' '));

export const codesOf = (all: readonly { readonly code?: string | undefined }[]) =>
  all.map(({ code }) => code);

/** A schema that takes anything for what it should be. */
export const schemaOf = <Payload>(): StandardSchemaV1<unknown, Payload> => ({
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Payload }) },
});

/** A delivery like the service’s. */
export function notificationRequest(body: unknown, init: { query?: string; headers?: object } = {}): Request {
  return new Request(`https://merchant.example/webhooks${init.query ?? ''}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function statusOf(answer: Promise<Response>): Promise<number> {
  return (await answer).status;
}

/** Everything that a logger, debugger or error tracker could print of a value. */
export function everythingPrintedOf(value: unknown): string {
  const { message, stack } = value as { message?: unknown; stack?: unknown };
  return [
    inspect(value, { depth: 9, showHidden: true }),
    JSON.stringify(value),
    value,
    message,
    stack,
  ].join();
}

/** Delivers a notification, and gives the status of the answer. */
export async function send(
  handler: (request: Request) => Promise<Response>,
  body: unknown = salePayload(),
  init: Parameters<typeof notificationRequest>[1] = {},
): Promise<number> {
  return (await handler(notificationRequest(body, init))).status;
}

/** Replays all dead letters, whether they are due or not. */
export const replayAll = async ({ replay, deadLetters }: ListenerParts['handler']) =>
  replay(await deadLetters.list());
