import { text } from 'node:stream/consumers';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { confirmPayment } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  MemoryStore,
  type Notification,
  parseNotification,
  verifyAuthorization,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { listen } from '../listen';
import { type Payload, pair } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';
import { Books } from './books';

type Callbacks = WebhookHandlerOptions['on'];

/** Every kind is booked, except where these callbacks differ. */
function callbacks(books: Books, other: Callbacks = {}): Callbacks {
  const book = ({ raw }: Notification) => books.add(raw as Payload);
  return {
    payment: book,
    refund: book,
    reversal: book,
    payout: book,
    saleStatus: () => {},
    unrecognized: () => {},
    ...other,
  };
}

/** This library's handler, used as the mistake has it. */
function handling(
  use: (books: Books, client: PaymentsClient) => Partial<WebhookHandlerOptions>,
): Pick<Listener, 'start'> {
  return {
    start(client) {
      const books = new Books();
      const options = { credentials: pair, on: callbacks(books), onReport: () => {}, ...use(books, client) };
      return listen(createWebhookHandler({ store: new MemoryStore(), ...options }), () => books.read());
    },
  };
}

export const wrongWithLibrary: readonly WrongListener[] = [
  {
    does: 'makes a handler for each request, so that its store is always empty (this library)',
    step: 'again',
    cause: 'or one request',
    start() {
      const books = new Books();
      return listen(
        (request, response) =>
          createWebhookHandler({ credentials: pair, on: callbacks(books), onReport: () => {} })(
            request,
            response,
          ),
        () => books.read(),
      );
    },
  },
  {
    does: 'runs as three processes, each with a MemoryStore (this library)',
    step: 'again',
    cause: 'the memory of one process',
    start() {
      const books = new Books();
      const processes = Array.from({ length: 3 }, () =>
        createWebhookHandler({ credentials: pair, on: callbacks(books), onReport: () => {} }),
      );
      let turn = 0;
      return listen(
        (request, response) => processes[turn++ % 3]?.(request, response),
        () => books.read(),
      );
    },
  },
  {
    does: 'forgets an await in its callback (this library)',
    step: 'workFirst',
    cause: 'not awaited',
    ...handling((books) => ({
      on: callbacks(books, { payment: ({ raw }) => void books.later(() => books.add(raw as Payload)) }),
    })),
  },
  {
    does: 'has the callback of payments for `saleStatus` too (this library)',
    step: 'statuses',
    cause: 'other than `PAID` is booked',
    laterCauses: { lateSale: 'PENDING is booked once more' },
    ...handling((books) => ({
      on: callbacks(books, { saleStatus: ({ raw }) => books.add(raw as Payload, 'payment') }),
    })),
  },
  {
    does: 'books `originalAmount` for a refund (this library)',
    step: 'refund',
    cause: 'the amount of the whole sale',
    ...handling((books) => ({
      on: callbacks(books, {
        refund: ({ raw }) => books.add(raw as Payload, 'refund', (raw as Payload).originalAmount),
      }),
    })),
  },
  {
    does: 'catches what `confirmPayment` throws (this library)',
    step: 'refundOvertakes',
    cause: 'because money went back',
    asksService: true,
    ...handling((books, client) => ({
      on: callbacks(books, {
        async payment(notification) {
          const { confirmed } = await confirmPayment(client, notification).catch(() => ({
            confirmed: false,
          }));
          if (confirmed) books.add(notification.raw as Payload);
        },
      }),
    })),
  },
  {
    does: 'does not look at `confirmed` (this library)',
    step: 'wrongAmount',
    cause: '(`confirmed`) is not looked at',
    asksService: true,
    ...handling((books, client) => ({
      on: callbacks(books, {
        async payment(notification) {
          await confirmPayment(client, notification);
          books.add(notification.raw as Payload);
        },
      }),
    })),
  },
  {
    does: 'keeps no body above 10 KB (this library)',
    step: 'long',
    cause: '100 KiB or less',
    ...handling(() => ({ maxBodyBytes: 10_000 })),
  },
  ...(
    [
      ['does not look at what `verifyAuthorization` returns', 'pairs', 'goes on all the same', 'key', false],
      ['keeps `saleToken` in place of `key`', 'refund', 'the key is the `saleToken`', 'saleToken', true],
    ] as const
  ).map(
    ([does, step, cause, key, checks]): WrongListener => ({
      does: `${does} (this library)`,
      step,
      cause,
      start() {
        const books = new Books();
        return listen(
          async (request, response) => {
            const isRight = verifyAuthorization(request.headers.authorization, pair);
            if (checks && !isRight) return response.writeHead(401).end();
            const notification = parseNotification({ url: request.url, body: await text(request) });
            const payload = notification.raw as Payload;
            books.book(payload, key === 'key' ? notification.key : (payload.saleToken ?? notification.key));
            return response.writeHead(200).end();
          },
          () => books.read(),
        );
      },
    }),
  ),
];
