// A listener in its own process: with this library's handler, or with less.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createWebhookHandler,
  type IdempotencyStore,
  MemoryStore,
  toNodeListener,
} from 'pix-automatic-sdk/webhooks';
import { programInput } from '../lib/program-input';
import type { ListenerInput } from './load/messages';

const { kind, credentials } = programInput<ListenerInput>();

/** As many as the memory store remembers by default. */
const REMEMBERED = 100_000;

const handlerOver = (store: IdempotencyStore) =>
  toNodeListener(createWebhookHandler({ credentials, store, on: { payment: async () => undefined } }));

/** A store that grants every claim and remembers nothing, to measure the handler alone. */
const forgetful: IdempotencyStore = {
  claim: async (subject, state) => ({
    status: 'claimed',
    subject,
    state,
    token: '1',
    fence: 1,
    handledStates: [],
  }),
  complete: async () => true,
  release: async () => undefined,
};

const claimed = new Set<string>();

/** A store that remembers each subject in a `Set`, without leases, expiry or eviction one by one. */
const setAlone: IdempotencyStore = {
  ...forgetful,
  claim: async (subject, state, limits) => {
    if (claimed.has(subject)) return { status: 'done', handledStates: [state] };
    if (claimed.size >= REMEMBERED) claimed.clear();
    claimed.add(subject);
    return forgetful.claim(subject, state, limits);
  },
};

/** Reads the body, parses it, and answers. */
const bare: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.end('OK');
  });
};

const { apiKey, apiToken } = credentials[0] ?? { apiKey: '', apiToken: '' };
const expected = Buffer.from(`Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`);
const seen = new Set<unknown>();

/** The same, but it compares the credentials and remembers each sale. No limits, no timeouts, no validation. */
const least: RequestListener = (request, response) => {
  const given = Buffer.from(request.headers.authorization ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    response.writeHead(401).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { saleToken } = JSON.parse(Buffer.concat(chunks).toString());
    if (seen.size >= REMEMBERED) seen.clear();
    seen.add(saleToken);
    response.end('OK');
  });
};

const listeners = {
  bare,
  least,
  forgetful: handlerOver(forgetful),
  set: handlerOver(setAlone),
  handler: handlerOver(new MemoryStore()),
};
const server = createServer(listeners[kind]);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.(process.cpuUsage()));
