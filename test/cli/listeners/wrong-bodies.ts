import { buffer } from 'node:stream/consumers';
import express from 'express';
import { listen } from './listen';
import { answering, type Booked, rightHeader } from './merchant';
import { accused, type WrongListener } from './verify-listener';

export const wrongBodies: readonly WrongListener[] = [
  {
    does: 'has no body parser, and crashes on the missing body',
    step: 'first',
    cause: 'no body parser reads JSON',
    start: startExpress([], (body) => body.newStatus),
  },
  {
    does: 'has a body parser for forms alone',
    step: 'first',
    cause: 'no body parser reads JSON',
    start: startExpress([express.urlencoded()], (body) => body.newStatus),
  },
  {
    does: 'has no body parser, and takes the missing body for nothing to do',
    step: 'first',
    cause: 'no parser reads the body',
    start: startExpress([], (body) => body?.newStatus),
  },
  {
    does: 'parses the JSON of a body that is parsed already',
    step: 'first',
    cause: 'read or parsed twice',
    start: startExpress([express.json()], (body) => JSON.parse(body).newStatus),
  },
  {
    does: 'parses the raw body twice',
    step: 'first',
    cause: 'read or parsed twice',
    merchant: {
      parse(body) {
        return JSON.parse(JSON.parse(body));
      },
      respond: (response) => response.writeHead(200).end(),
    },
  },
  {
    does: 'redirects to the URL with a slash at the end',
    step: 'first',
    cause: 'a `/` too many or too few',
    merchant: answering((response) => response.writeHead(308, { location: '/webhooks/' }).end()),
  },
  {
    does: 'redirects to a log-in page',
    step: 'first',
    cause: 'a log-in page',
    merchant: answering((response) => response.writeHead(302, { location: '/login' }).end()),
  },
  {
    does: 'listens at another path',
    step: 'first',
    cause: 'the path is another one',
    merchant: answering((response) => response.writeHead(404).end('Cannot POST /webhooks')),
  },
  {
    does: 'expects another pair',
    step: 'first',
    cause: 'another pair than',
    merchant: { isLetIn: () => false },
  },
  {
    does: 'refuses sales that it does not know, verified without --sandbox',
    step: 'first',
    cause: 'refuses a sale',
    merchant: {
      work(kind) {
        if (kind === 'payment') throw new Error('There is no such order.');
      },
    },
  },
];

export const wrongReaders: readonly WrongListener[] = [
  {
    does: 'refuses bodies of more than 64 KiB',
    step: 'long',
    cause: '100 KiB or less',
    merchant: {
      async read(request) {
        const body = await buffer(request);
        if (body.length > 65_536) throw new Error('Too large.');
        return body.toString();
      },
    },
  },
  {
    does: 'reads the first piece of the body alone',
    step: 'split',
    cause: 'the first piece',
    merchant: {
      read: (request) => new Promise((resolve) => request.once('data', (chunk) => resolve(String(chunk)))),
    },
  },
  {
    does: 'waits for as many letters as `content-length` has bytes',
    step: 'letters',
    cause: 'counted in characters',
    limitMs: 1_000,
    merchant: {
      read: (request) =>
        new Promise((resolve) => {
          let body = '';
          request.setEncoding('utf8').on('data', (chunk: string) => {
            body += chunk;
            if (body.length >= Number(request.headers['content-length'])) resolve(body);
          });
        }),
    },
  },
  ...accused('letters', 'beyond ASCII', {
    'refuses letters that ASCII does not have': {
      parse(body) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what this listener takes.
        if (/[^\u0000-\u007f]/.test(body)) throw new Error('Not ASCII.');
        return JSON.parse(body);
      },
    },
  }),
  ...accused('letters', 'another encoding than UTF-8', {
    'reads the body as ASCII, and so breaks its JSON': {
      read: async (request) => (await buffer(request)).toString('ascii'),
    },
  }),
];

/** A listener in Express, as merchants often write it. */
function startExpress(
  parsers: readonly express.RequestHandler[],
  // biome-ignore lint/suspicious/noExplicitAny: what `request.body` is in Express.
  newStatusOf: (body: any) => unknown,
) {
  return () => {
    const rows: Booked[] = [];
    const app = express();
    app.post('/webhooks', ...parsers, (request, response) => {
      if (request.headers.authorization !== rightHeader) return void response.sendStatus(401);
      if (newStatusOf(request.body) === 'PAID')
        rows.push({ kind: 'payment', subject: request.body.saleToken, amount: request.body.amount });
      response.sendStatus(200);
    });
    return listen(app, () => rows);
  };
}
