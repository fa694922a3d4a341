import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStore, type Store } from 'pix-automatic-sdk/stores';
import {
  createWebhookHandler,
  MemoryStore,
  toLambda,
  type WebhookHandler,
  type WebhookHandlerOptions,
  type WebhookReport,
  type WebhookReportCode,
} from 'pix-automatic-sdk/webhooks';
import { MemoryRecords } from '../../src/stores/memory-store';
import type { Transact } from '../../src/stores/steps';
import type { AnyDefinition } from '../../src/webhooks/kinds';
import { type Answer, deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { hang } from '../webhooks/faults';
import { WatchedStore } from '../webhooks/watched-store';
import { authorization, credentials, marked } from './marks';
import { type Paths, pathsOver } from './path';
import { bodies, quoting, sale, text } from './webhook-paths';

const { apiKey, apiToken, email } = marked;

type AnyStore = Store<undefined>;

interface Delivered {
  readonly options?: Partial<WebhookHandlerOptions<readonly AnyDefinition[]>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly method?: string;
  /** Sends less of the body than its content-length says, and then waits or closes the connection. */
  readonly breaksOff?: 'waits' | 'goes';
  /** What happens to a request before the handler gets it. */
  readonly before?: (handler: WebhookHandler, request: IncomingMessage, response: ServerResponse) => unknown;
}

const failing = () => Promise.reject(new Error('failed'));
const throwing =
  (message: string, details = {}) =>
  () => {
    throw Object.assign(new Error(message), details);
  };
const unpaid = { situation: 'PENDING', referenceCode: email };
const doneLongAgo = { status: 'done', handledStates: [], at: 0, now: 1e8 };

/** Deliveries for every code of a report. The thrown errors hold no marks, because the library passes them on. */
const deliveries: Readonly<Record<string, Delivered>> = {
  'method not allowed': { method: 'PUT' },
  'unauthorized: no credentials': { headers: { authorization: '' } },
  'unauthorized: other credentials': { headers: { authorization: `Basic ${btoa(`${apiToken}:${apiKey}`)}` } },
  'body too large': { options: { maxBodyBytes: 10 } },
  'body too slow': { options: { bodyTimeoutMs: 20 }, breaksOff: 'waits' },
  'body that breaks off': { breaksOff: 'goes' },
  'body that was already read': { before: (_, request) => request.resume() && once(request, 'end') },
  'body whose property throws': {
    before: async (_, request) => {
      await once(request.resume(), 'end');
      Object.defineProperty(request, 'body', { get: throwing('Invalid JSON') });
    },
  },
  'an answer of something else': { before: (_, __, response) => response.end('first') },
  'text that is no UTF-8': { body: { ...Object(sale), reason: `${email} \uFFFD` } },
  draining: { before: (handler) => handler.drain() },
  'no JSON': { body: bodies['no JSON'] },
  contradiction: { body: bodies['a contradiction'] },
  'a contradiction that is passed to unrecognized': {
    body: bodies['a contradiction'],
    options: { on: { unrecognized: failing } },
  },
  'wrong types': { body: bodies['a sale with wrong types'] },
  'contradiction with the query': { query: `?type=refund&email=${email}` },
  unhandled: { options: { on: {} } },
  'callback failed': { options: { on: { payment: failing } } },
  'callback timeout': { options: { callbackTimeoutMs: 20, on: { payment: hang } } },
  'store failed': { options: { store: storeThat('claim', failing) } },
  'store too slow': { options: { storeTimeoutMs: 20, store: storeThat('claim', hang) } },
  'lease lost': { options: { store: storeThat('complete', async () => false) } },
  'not confirmed': { options: { confirm: { getTransaction: async () => unpaid } } },
  'confirm failed': { options: { confirm: { getTransaction: failing } } },
  'a field of another type': { body: { ...Object(sale), date: 7 } },
  'dead letters failed': { options: { on: {}, deadLetters: true, store: storeWithoutLetters() } },
  busy: { options: { store: storeThat('claim', async () => ({ status: 'busy' })) } },
  'too many states': { options: { store: storeThat('claim', async () => ({ status: 'full' })) } },
  'transaction ended': { options: { store: storeIn(ownCommit) } },
  'nothing written': { options: { store: storeIn(nothingWritten) } },
  'unexpected repeat': { options: { store: storeThat('claim', async () => doneLongAgo) } },
  internal: { options: { getAuthorization: throwing('failed') } },
};

/** The codes of the reports that were checked. */
export const reportedCodes = new Set<WebhookReportCode>();

const reports = pathsOver('the handler, its reports and answer', deliveries, async (delivered) => {
  const reports: WebhookReport[] = [];
  const answer = await answerTo(delivered, { onReport: (report) => reports.push(report) });
  for (const { code } of reports) reportedCodes.add(code);
  return [answer, ...reports];
});

/** With the default `onReport`, which writes to the console. The console is checked for every path. */
const defaultLog = pathsOver('the handler, its default log', deliveries, (delivered) =>
  answerTo(delivered, {}),
);

/** Stores for every code of a report that only a replay has. */
const letters: Readonly<Record<string, () => Promise<AnyStore>>> = {
  'a dead letter of other credentials, which ends soon': async () => {
    const store = new WatchedStore();
    const failed = { code: 'callback_failed', credential: '01234567', url: '' } as const;
    const subject = { key: 'payment:s-1:PAID', subject: 'payment:s-1', state: 'PAID', kind: 'payment' };
    await store.letters.put({ ...subject, ...failed, body: JSON.stringify(sale) });
    return store;
  },
  'a dead letter of a newer release': async () => {
    const records = new MemoryRecords(10, Date.now);
    const times = { before: Date.now() + 1e6, expiresAt: Date.now() + 1e6 };
    const record = JSON.stringify({ format: 99, token: text, letter: sale });
    await records.write('default/letter:payment:s-1:PAID', { record, version: 0, next: 1, ...times });
    return createStore(records);
  },
};

async function replay(store: AnyStore, more: Partial<WebhookHandlerOptions>) {
  const deadLetters = { retentionMs: 1_000 };
  return createWebhookHandler({ credentials, store, deadLetters, on: {}, ...more }).replay();
}

const replays = pathsOver('the handler, a replay and its reports', letters, async (storeOf) => {
  const reports: WebhookReport[] = [];
  const results = await replay(await storeOf(), { onReport: (report) => reports.push(report) });
  for (const { code } of reports) reportedCodes.add(code);
  return [...results, ...reports];
});

const replayLog = pathsOver('the handler, the default log of a replay', letters, async (storeOf) =>
  replay(await storeOf(), {}),
);

const throwMarks = throwing(text, { sale });
const rejectMarks = () => Promise.reject(new Error(text));

const marksThrown: Readonly<Record<string, Delivered>> = {
  'a callback that throws marks': { options: { on: { payment: throwMarks } } },
  'a callback that rejects with text': { options: { on: { payment: () => Promise.reject(text) } } },
  'a store that throws marks': { options: { store: storeThat('claim', rejectMarks) } },
  'a match function of the merchant that throws marks': {
    options: { kinds: [{ ...quoting, match: throwMarks }] },
  },
  'an onReport that throws marks': { body: '[]', options: { onReport: throwMarks } },
};

/** The merchant's own errors: `report.error` returns them and the default log names them, but the answer must not. */
const passedOn = pathsOver('the handler', marksThrown, (delivered) =>
  answerTo(delivered, { onReport: () => undefined }),
);

async function answerTo(
  { options, body = sale, headers, query = '', method = 'POST', breaksOff, before }: Delivered,
  more: Partial<WebhookHandlerOptions>,
): Promise<Answer | string> {
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: { payment: () => undefined },
    ...more,
    ...options,
  } as WebhookHandlerOptions);
  const server = createServer(async (request, response) => {
    await before?.(handler, request, response);
    handler(request, response);
  });
  const url = await listen(server);
  if (breaksOff !== undefined) return breakOff(url, breaksOff, handler);
  return deliver(`${url}/${query}`, body, { method, headers: { authorization, ...headers } });
}

/** The answer to an incomplete body, or an empty text if the client does not wait for one. */
async function breakOff(url: string, how: 'waits' | 'goes', handler: WebhookHandler): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const lines = ['POST / HTTP/1.1', 'host: a', `authorization: ${authorization}`, 'content-length: 9999'];
  socket.write(`${lines.join('\r\n')}\r\n\r\n{"email": "${email}",`);
  const answer = how === 'waits' ? String((await once(socket, 'data'))[0]) : '';
  // Give the server time to read the incomplete body.
  await sleep(50);
  socket.destroy();
  await sleep(50);
  await handler.drain();
  return answer;
}

function storeThat(step: 'claim' | 'complete', instead: () => Promise<unknown>): WatchedStore {
  const store = new WatchedStore();
  store.faults[step].push(instead, instead, instead);
  return store;
}

/** A transaction whose callback has committed by itself. */
async function ownCommit() {
  return { status: 'failed', during: 'own commit', error: new Error('failed') } as const;
}

/** A transaction whose callback has waited for no statement. */
async function nothingWritten() {
  return { status: 'failed', during: 'nothing written', error: new Error('failed') } as const;
}

function storeIn(transact: unknown): WatchedStore {
  return Object.assign(new WatchedStore(), { transact: transact as Transact<undefined> });
}

function storeWithoutLetters(): WatchedStore {
  return Object.assign(new WatchedStore(), { letters: { steps: [], faults: { keep: failing } } });
}

const withText = { method: 'POST', headers: { authorization: `Basic ${text}` }, body: text };
const brokenOff = { method: 'POST', headers: { authorization }, body: `{${text}` };

export const handlerPaths: Paths = {
  ...reports,
  ...defaultLog,
  ...replays,
  ...replayLog,
  ...passedOn,
  async 'createWebhookHandler: handler and store, after a delivery'() {
    const store = new MemoryStore();
    const handler = createWebhookHandler({ credentials, store, on: { payment: () => undefined } });
    await handler.handle({ method: 'POST', url: '/', headers: { authorization }, body: sale });
    return [handler, store];
  },
  'createWebhookHandler: the answers to refused Requests'() {
    const handler = createWebhookHandler({ credentials, on: {}, onReport: () => Promise.reject(text) });
    const answers = [withText, brokenOff].map(async (init) => {
      const answer = await handler(new Request(`https://merchant.example/?${email}`, init));
      return [answer.status, [...answer.headers], await answer.text()];
    });
    return Promise.all(answers);
  },
  'toLambda: no handler': () => toLambda(text as never),
  'toLambda: the answers to refused events'() {
    const answer = toLambda(createWebhookHandler({ credentials, on: {}, onReport: () => undefined }));
    const events = [withText, { ...brokenOff, path: text }];
    return Promise.all(events.map(({ method, ...event }) => answer({ httpMethod: method, ...event })));
  },
};
