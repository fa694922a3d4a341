import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { fixtures, notificationRequest } from 'pix-automatic-sdk/testing';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type CodeBlock, codeBlocks } from './markdown';
import { loadBlock } from './run-block';

const [clientBlock, listenerBlock] = codeBlocks('docs/observability.md').filter(({ code }) =>
  code.includes('@opentelemetry/api'),
) as [CodeBlock, CodeBlock];

const spans: RecordedSpan[] = [];
const measured: [name: string, value: number, attributes: unknown][] = [];
beforeAll(() => {
  context.setGlobalContextManager(contextManager());
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
});
afterEach(() => {
  spans.length = 0;
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
afterAll(() => {
  context.disable();
  trace.disable();
  metrics.disable();
});

test('each attempt of a call is a span below the active one, with an event for each retry', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  vi.stubEnv('PAYMENTS_BASE_URL', sandbox.url);
  vi.stubEnv('PAYMENTS_API_KEY', sandbox.credentials.apiKey);
  vi.stubEnv('PAYMENTS_API_TOKEN', sandbox.credentials.apiToken);
  const { client } = await loadBlock(clientBlock);

  sandbox.fault('getTransaction', { kind: 'status', status: 503 });
  await tracer.startActiveSpan('order', async () => client.getTransaction('t-1').catch(() => {}));

  const [order, first, second] = spans as [RecordedSpan, RecordedSpan, RecordedSpan];
  expect(order.events).toEqual(['payments.retry']);
  expect(spans).toHaveLength(3);
  for (const attempt of [first, second]) {
    expect(attempt.parent).toBe(order);
    expect(attempt.endedAt).toBeGreaterThan(attempt.startTime as number);
    expect(attempt).toMatchObject({
      name: 'GET /v1.1/transactions/{transactionUUID}',
      status: { code: 2, message: 'api_error' },
    });
  }
  expect(first.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': 'api_error' });
  const of404 = { 'http.response.status_code': 404, 'http.request.resend_count': 1 };
  expect(second.attributes).toMatchObject(of404);
});

test('each notification is measured, and named in the span of its request, which is active in its callback', async () => {
  const active: unknown[] = [];
  vi.stubGlobal('orders', {
    async markAsPaid({ saleToken }: { saleToken: string }) {
      active.push(trace.getActiveSpan());
      if (saleToken === 's-2') throw new Error('the database is down');
    },
  });
  vi.stubGlobal('client', {
    getTransaction: async (uuid: string) => fixtures.transaction({ uuid, refunds: undefined }),
  });
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { handler } = await loadBlock(listenerBlock);

  const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
  for (const saleToken of ['s-1', 's-1', 's-2']) {
    await tracer.startActiveSpan('POST', () =>
      handler(notificationRequest('payment', { saleToken }, credentials)),
    );
  }
  const delivered = { kind: 'payment', origin: 'delivery' };
  expect(measured).toEqual([
    ['payments.done', expect.any(Number), { ...delivered, isRepeat: false }],
    ['payments.done', expect.any(Number), { ...delivered, isRepeat: true }],
    ['payments.reports', 1, { code: 'callback_failed', kind: 'payment' }],
  ]);
  const first = { 'payments.kind': 'payment', 'payments.key': 'payment:s-1:PAID' };
  const failed = {
    ...{ 'payments.kind': 'payment', 'payments.key': 'payment:s-2:PAID' },
    'error.type': 'callback_failed',
  };
  expect(spans.map(({ attributes }) => attributes)).toEqual([first, first, failed]);
  expect(active).toEqual([spans[0], spans[2]]);
  expect(printed).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^The callback threw\./));
});

// The API package has no implementation that records spans. These are the parts of one that the tests need.

interface RecordedSpan extends SpanOptions {
  readonly name: string;
  readonly parent: unknown;
  readonly events: string[];
  readonly endedAt?: number;
  readonly status?: SpanStatus;
}

const tracer = {
  startSpan(name: string, options?: SpanOptions) {
    const events: string[] = [];
    const span = {
      ...{ name, parent: trace.getActiveSpan(), startTime: Date.now(), events, ...options },
      addEvent: (event: string) => events.push(event),
      setAttributes: (attributes: object) =>
        Object.assign(span, { attributes: { ...span.attributes, ...attributes } }),
      setStatus: (status: SpanStatus) => Object.assign(span, { status }),
      end: (endedAt = Date.now()) => Object.assign(span, { endedAt }),
    };
    spans.push(span);
    return span as unknown as Span;
  },
  startActiveSpan(name: string, ...rest: unknown[]) {
    const work = rest.pop() as (span: Span) => unknown;
    const span = tracer.startSpan(name, rest[0] as SpanOptions);
    return context.with(trace.setSpan(context.active(), span), () => work(span));
  },
} as Tracer;

const meter = {
  createHistogram: (name: string) => ({
    record: (value: number, attributes: unknown) => void measured.push([name, value, attributes]),
  }),
  createCounter: (name: string) => ({
    add: (value: number, attributes: unknown) => void measured.push([name, value, attributes]),
  }),
} as unknown as Meter;

function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_, target) => target,
    enable: () => contextManager(),
    disable: () => contextManager(),
  };
}
