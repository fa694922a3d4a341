import { buffer } from 'node:stream/consumers';
import { listen } from '../listen';
import { rightHeader } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';
import { Books } from './books';

/** Node's own server, and a header of this exact name. */
function readingHeader(isIt: (name: string) => boolean): Pick<Listener, 'start'> {
  return {
    start() {
      const books = new Books();
      return listen(
        async (request, response) => {
          const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
          const value = request.rawHeaders[2 * names.findIndex(isIt) + 1];
          if (value !== rightHeader) return void response.writeHead(401).end();
          books.book(JSON.parse((await buffer(request)).toString()));
          response.writeHead(200, { connection: 'close' }).end();
        },
        () => books.rows,
      );
    },
  };
}

export const wrongInPlainNode: readonly WrongListener[] = [
  {
    does: 'looks for `Authorization` among the raw headers, in this case alone (plain Node)',
    step: 'headerName',
    cause: '`Authorization` alone',
    ...readingHeader((name) => name === 'Authorization'),
  },
  {
    does: 'looks for `authorization` among the raw headers, in this case alone (plain Node)',
    step: 'first',
    cause: 'in lower case alone',
    ...readingHeader((name) => name === 'authorization'),
  },
];

export const rightInPlainNode: readonly Listener[] = [
  {
    does: 'looks for the header among the raw ones, in any case, and closes each connection (plain Node)',
    ...readingHeader((name) => name.toLowerCase() === 'authorization'),
  },
];
