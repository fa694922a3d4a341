import type { Part } from '../lib/part';
import { client } from './client';
import { coldImport } from './cold-import';
import { firstCall } from './first-call';
import { handler } from './handler';
import { memoryStore } from './memory-store';
import { notification } from './notification';
import { sandboxJourneys } from './sandbox-journeys';
import { size } from './size';
import { stores } from './stores';

/** In the order in which they run. */
export const parts: Readonly<Record<string, { readonly measures: string; readonly run: Part }>> = {
  notification: { measures: 'verify, parse and validate one notification', run: notification },
  handler: { measures: 'the handler on node:http, in one process', run: handler },
  client: { measures: 'CPU a call of the client', run: client },
  'cold-import': { measures: 'time to load a module in a new process', run: coldImport },
  'first-call': { measures: 'from the start of a process to the end of its first call', run: firstCall },
  size: { measures: 'bytes of a bundle and of an installation', run: size },
  'memory-store': { measures: 'as many keys in the memory store as it holds by default', run: memoryStore },
  stores: { measures: 'Redis, PostgreSQL and SQLite as idempotency stores', run: stores },
  'sandbox-journeys': { measures: 'cost of journeys as they become more', run: sandboxJourneys },
};
