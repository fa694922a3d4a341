import type { Part } from '../lib/part';
import { client } from './client';
import { connections } from './connections';
import { notification } from './notification';
import { size } from './size';
import { start } from './start';

/** In the order in which they run. */
export const parts: Readonly<Record<string, { readonly measures: string; readonly run: Part }>> = {
  notification: { measures: 'verify, parse and validate one notification', run: notification },
  client: { measures: 'CPU a call of the client', run: client },
  start: { measures: 'cold import and first call of the client', run: start },
  connections: { measures: 'what connections cost a query and a POST, beside ky alone', run: connections },
  size: { measures: 'bytes of a bundle and of an installation, and lines of code', run: size },
};
