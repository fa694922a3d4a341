import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
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
beforeAll(() => {
  context.setGlobalContextManager(contextManager());
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
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

test('each callback is a span that is active in it, and reports its failure', async () => {
  const paid: [string, unknown][] = [];
  vi.stubGlobal('orders', {
    async markAsPaid({ saleToken }: { saleToken: string }) {
      paid.push([saleToken, trace.getActiveSpan()]);
      if (saleToken === 's-2') throw new Error('the database is down');
    },
  });
  vi.stubGlobal('client', {
    getTransaction: async (uuid: string) => fixtures.transaction({ uuid, refunds: undefined }),
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const { handler } = await loadBlock(listenerBlock);

  const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
  for (const saleToken of ['s-1', 's-1', 's-2']) {
    await handler(notificationRequest('payment', { saleToken }, credentials));
  }
  expect(spans.map(({ name, status }) => [name, status?.code])).toEqual([
    ['notification payment', undefined],
    ['notification payment', 2],
  ]);
  expect(paid).toEqual([
    ['s-1', spans[0]],
    ['s-2', spans[1]],
  ]);
  expect(spans[0]?.attributes).toEqual({ 'payments.kind': 'payment', 'payments.key': 'payment:s-1:PAID' });
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
