import { inspect } from 'node:util';
import {
  createWebhookHandler,
  MemoryStore,
  type WebhookHandlerOptions,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  authorization,
  basic,
  createListener,
  credentials,
  everythingPrintedOf,
  fail,
  hang,
  notificationRequest,
  queries,
  salePayload,
  statusOf,
  WatchedStore,
} from './support';

const personal = {
  ...salePayload(),
  referenceCode: 'PERSONAL-order',
  shopper: { firstName: 'PERSONAL-name', email: 'PERSONAL@example.com', account: 'PERSONAL-account' },
};
const secret = { apiKey: 'S3CRET-key', apiToken: 'S3CRET-token' };
const headers = { authorization: basic(secret) };
const MARKS = /PERSONAL|S3CRET|UzNDUkV/;

/** One way to each report, over a listener with credentials and a body that are marked. */
const ways: readonly {
  readonly code: string;
  readonly status: number;
  readonly options?: () => Partial<WebhookHandlerOptions>;
  readonly request?: () => Request;
  readonly received?: (received: never) => void;
}[] = [
  {
    code: 'method_not_allowed',
    status: 405,
    request: () => new Request('https://merchant.example', { method: 'PUT', headers, body: 'PERSONAL' }),
  },
  {
    code: 'unauthorized',
    status: 401,
    request: () => notificationRequest(personal, { headers: { authorization: `${basic(secret)}S3CRET` } }),
  },
  { code: 'body_too_large', status: 413, options: () => ({ maxBodyBytes: 5 }) },
  {
    code: 'body_timeout',
    status: 408,
    options: () => ({ bodyTimeoutMs: 10 }),
    request: () => {
      const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' };
      return new Request('https://merchant.example', init as RequestInit);
    },
  },
  {
    code: 'invalid_body',
    status: 400,
    request: () => notificationRequest('PERSONAL', { headers }),
    received: (bytes) => expect(new TextDecoder().decode(bytes)).toBe('PERSONAL'),
  },
  {
    code: 'invalid_notification',
    status: 400,
    request: () => notificationRequest(personal, { headers, query: queries.refund }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'unrecognized', raw: personal }),
  },
  {
    code: 'unhandled',
    status: 200,
    options: () => ({ on: {} }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'callback_failed',
    status: 500,
    options: () => ({
      on: {
        payment() {
          throw new Error('callback');
        },
      },
    }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'callback_timeout',
    status: 500,
    options: () => ({ callbackTimeoutMs: 10, on: { payment: hang } }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'store_failed',
    status: 503,
    options: () => {
      const store = new WatchedStore();
      store.faults.claim.push(() => Promise.reject(new Error('store')));
      return { store };
    },
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'lease_lost',
    status: 503,
    options: () => {
      const store = new WatchedStore();
      store.faults.complete.push(async () => false);
      return { store };
    },
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'internal',
    status: 500,
    options: () => ({
      getAuthorization: () => {
        throw new Error('getAuthorization');
      },
    }),
  },
];

const makeRequest = ({ request = () => notificationRequest(personal, { headers }) }) => request();

describe('onError', () => {
  it.each(ways)(
    'is told $code, answered $status, with what was received readable and printed by nothing',
    async (way) => {
      const { handler, reports } = createListener({ credentials: secret, ...way.options?.() });
      expect(await statusOf(handler(makeRequest(way)))).toBe(way.status);

      expect(reports).toHaveLength(1);
      const [report] = reports as [WebhookReport];
      expect(report).toMatchObject({ code: way.code, status: way.status });
      expect(report.message).toMatch(/^[A-Z].*\.$/);
      if (way.received === undefined) expect(report.received).toBeUndefined();
      else way.received(report.received as never);
      expect(everythingPrintedOf(report)).not.toMatch(MARKS);
      expect(JSON.stringify({ ...report })).not.toMatch(MARKS);
      expect(inspect({ report, list: [report] }, { showHidden: true, depth: 9, getters: false })).not.toMatch(
        MARKS,
      );
    },
  );

  it('is told who was busy, and who came while draining', async () => {
    let finish = () => {};
    const { handler, reports } = createListener({
      on: { payment: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    const running = handler(notificationRequest(personal));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await handler(notificationRequest(personal));
    const drained = handler.drain();
    await handler(notificationRequest(personal));
    finish();
    await Promise.all([running, drained]);
    expect(reports.map(({ code }) => code)).toEqual(['busy', 'draining']);
    expect(reports[0]).toMatchObject({ kind: 'payment', key: 'payment:s-1:PAID' });
  });

  it('is told nothing of what went well', async () => {
    const { handler, reports } = createListener();
    await handler(notificationRequest(personal));
    await handler(notificationRequest(personal));
    expect(reports).toEqual([]);
  });

  const harmless: readonly [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('onError failed');
      },
    ],
    ['rejects', () => Promise.reject(new Error('onError failed'))],
    ['never ends', hang],
    [
      'gives a thenable that throws',
      () =>
        Object.defineProperty({}, 'then', {
          value: () => {
            throw new Error('onError failed');
          },
        }),
    ],
  ];

  it.each(harmless)('that %s changes no answer, and leaves no unhandled rejection', async (_, onError) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      for (const way of ways) {
        const { handler } = createListener({ credentials: secret, ...way.options?.(), onError });
        expect(await statusOf(handler(makeRequest(way)))).toBe(way.status);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('the default onError', () => {
  const error = vi.spyOn(console, 'error');
  beforeEach(() => void error.mockReset().mockImplementation(() => undefined));
  afterEach(() => void error.mockReset());

  it.each(ways)(
    'logs $code in one line of text, with nothing of the request but kind and key',
    async (way) => {
      const { handler } = createListener({ credentials: secret, ...way.options?.(), onError: undefined });
      await handler(makeRequest(way));

      expect(error).toHaveBeenCalledTimes(1);
      const [line, ...more] = error.mock.calls[0] as string[];
      expect(more).toEqual([]);
      expect(line).toMatch(new RegExp(`^pix-automatic-sdk: webhook ${way.code}[ :]`));
      expect(line).not.toMatch(MARKS);
      expect(line).not.toMatch(/[\n\r]/);
      expect(line?.includes('(kind=payment key=payment:s-1:PAID): ')).toBe(
        way.received !== undefined && !way.code.startsWith('invalid'),
      );
    },
  );

  it('cannot be made to log a line of the sender’s own', async () => {
    const { handler } = createListener({ onError: undefined, on: {} });
    await handler(
      notificationRequest({ ...salePayload(), saleToken: 's\r\npix-automatic-sdk: forged\u001b[2J' }),
    );
    expect(String(error.mock.calls[0]?.[0])).toMatch(/^[ -~]+$/);
  });

  it('logs no word of what a callback or a store threw', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(fail);
    await createListener({ store, onError: undefined }).handler(notificationRequest(salePayload()));
    expect(String(error.mock.calls[0]?.[0])).not.toContain('CPF');
  });
});

describe('without a store', () => {
  const warn = vi.spyOn(console, 'warn');
  beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
  afterEach(() => {
    warn.mockReset();
    vi.unstubAllEnvs();
  });

  async function warningsIn(environment: string, options: Partial<WebhookHandlerOptions> = {}) {
    vi.stubEnv('NODE_ENV', environment);
    const acted: string[] = [];
    const handler = createWebhookHandler({
      credentials,
      on: { payment: ({ key }) => void acted.push(key) },
      ...options,
    });
    for (let time = 0; time < 2; time += 1) {
      expect(
        await statusOf(handler(notificationRequest(salePayload(), { headers: { authorization } }))),
      ).toBe(200);
    }
    expect(acted).toHaveLength(1);
    return warn.mock.calls;
  }

  it('a handler in production warns once, that duplicates are noticed by this process only', async () => {
    expect(await warningsIn('production')).toEqual([
      [expect.stringMatching(/no `store`.*this process only/)],
    ]);
  });

  it.each(['development', 'test', ''])('one elsewhere does not warn (%j)', async (environment) => {
    expect(await warningsIn(environment)).toEqual([]);
  });

  it('one with a store does not warn, in production neither', async () => {
    expect(await warningsIn('production', { store: new MemoryStore() })).toEqual([]);
  });
});
