import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedError, ApiError, type ReconcileResult, reconcile, type Transaction } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reply, stall, startHttpServer } from '../helpers/http-server';
import { clientFor, withoutBackOff } from './support';

const unhandled = vi.fn();
const warned = vi.fn();
beforeEach(() => {
  withoutBackOff();
  for (const spy of [unhandled, warned]) spy.mockClear();
  process.on('unhandledRejection', unhandled);
  process.on('warning', warned);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sleep(10);
  process.off('unhandledRejection', unhandled);
  process.off('warning', warned);
  expect(unhandled).not.toHaveBeenCalled();
  expect(warned).not.toHaveBeenCalled();
});

type Options = Parameters<typeof reconcile>[2];
type Uuids = Iterable<string> | AsyncIterable<string>;

/** A source whose queries end only when the test calls `end`. */
function manualSource() {
  const open = new Map<string, { resolve: (transaction: Transaction) => void; signal: AbortSignal }>();
  let most = 0;
  return {
    open,
    most: () => most,
    end: (uuid: string) => open.get(uuid)?.resolve({ uuid }),
    getTransaction: (uuid: string, { signal }: { signal?: AbortSignal | undefined } = {}) =>
      new Promise<Transaction>((resolve, reject) => {
        if (signal === undefined) throw new Error('Expected a signal');
        const finish = (end: () => void) => {
          open.delete(uuid);
          end();
        };
        open.set(uuid, { resolve: (transaction) => finish(() => resolve(transaction)), signal });
        signal.addEventListener('abort', () => finish(() => reject(abortedError())));
        most = Math.max(most, open.size);
      }),
  };
}

/** A source that answers at once, or with what `answer` gives. */
function sourceOf(answer: (uuid: string) => unknown = () => undefined) {
  return {
    getTransaction: vi.fn(async (uuid: string, _options?: object): Promise<Transaction> => {
      await answer(uuid);
      return { uuid };
    }),
  };
}

it.each(['86400', '1000000000', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'gives the error of a 429 with Retry-After: %s, and goes on',
  async (retryAfter) => {
    const server = await startHttpServer(
      reply(429, '', { 'retry-after': retryAfter }),
      reply(200, { status: 0, uuid: 'b' }),
    );
    const results: ReconcileResult[] = [];
    const options = { concurrency: 1, timeoutMs: 10_000 };
    for await (const result of reconcile(clientFor(server), ['a', 'b'], options)) results.push(result);
    expect(results).toMatchObject([
      { uuid: 'a', error: { httpStatus: 429 } },
      { transaction: { uuid: 'b' } },
    ]);
    expect(server.requests).toHaveLength(2);
    const first = results[0]?.error as ApiError;
    expect(Number.isFinite(first.retryAfterMs)).toBe(true);
  },
);

const context = { operation: 'getTransaction', attempts: 1 } as const;
const abortedError = () => new AbortedError('m', { ...context, outcome: 'unknown', cause: undefined });
const apiError = (httpStatus: number, more: { body?: unknown; retryAfterMs?: number } = {}) =>
  new ApiError('m', { ...context, outcome: 'refused', httpStatus, body: {}, ...more });

async function collect(results: AsyncIterable<ReconcileResult>): Promise<ReconcileResult[]> {
  const collected = [];
  for await (const result of results) collected.push(result);
  return collected;
}

const failureOf = (results: AsyncIterable<ReconcileResult>) =>
  collect(results).then(
    () => expect.fail('Expected an error'),
    (error) => error,
  );

function gateOf() {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

/** Uuids that never end, and whether they were closed. */
function endless() {
  const seen = { read: 0, closed: false };
  function* uuids(): Generator<string> {
    try {
      for (;;) yield `uuid-${seen.read++}`;
    } finally {
      seen.closed = true;
    }
  }
  return { seen, uuids: uuids() };
}

/** Answers by the last segment of the path, and counts what is under way. */
async function startService(status: (uuid: string) => number = () => 200, afterMs = 0) {
  let now = 0;
  const seen = { most: 0 };
  const server = await startHttpServer(async (response, { url }) => {
    seen.most = Math.max(seen.most, ++now);
    if (afterMs > 0) await sleep(afterMs);
    now -= 1;
    const uuid = url.split('/').pop() ?? '';
    response.statusCode = status(uuid);
    response.end(JSON.stringify({ uuid }));
  });
  return { seen, server, client: clientFor(server) };
}

it('gives every transaction once, over real HTTP, with at most `concurrency` queries at a time', async () => {
  const { client, seen } = await startService(undefined, 5);
  const uuids = Array.from({ length: 25 }, (_, index) => `uuid-${index}`);
  const results = await collect(reconcile(client, uuids, { concurrency: 3 }));
  expect(results.map(({ uuid }) => uuid).sort()).toEqual(uuids.sort());
  for (const { uuid, transaction } of results) expect(transaction?.uuid).toBe(uuid);
  expect(seen.most).toBeLessThanOrEqual(3);
});

it('runs four queries at a time by default', async () => {
  const source = manualSource();
  const results = reconcile(source, [...'abcdefgh']);
  const first = results.next();
  await expect.poll(() => source.open.size).toBe(4);
  source.end('c');
  expect((await first).value).toEqual({ uuid: 'c', transaction: { uuid: 'c' } });
  await results.return();
  expect(source.most()).toBe(4);
});

function* twice() {
  yield* 'ab';
}
async function* twiceAsync() {
  yield* 'ab';
}

it.each([
  ['an array', ['a', 'b'], 2],
  ['a set', new Set(['a', 'b']), 2],
  ['a generator', twice(), undefined],
  ['an async generator', twiceAsync(), undefined],
  ['a readable stream', ReadableStream.from(['a', 'b']), undefined],
] as Array<[string, Uuids, number | undefined]>)(
  'takes its uuids from %s, and tells onProgress how many there are if it can',
  async (_, uuids, total) => {
    const onProgress = vi.fn();
    const results = await collect(reconcile(sourceOf(), uuids, { onProgress }));
    expect(results.map(({ uuid }) => uuid).sort()).toEqual(['a', 'b']);
    const told = total === undefined ? {} : { total };
    expect(onProgress.mock.calls).toStrictEqual([[{ done: 1, ...told }], [{ done: 2, ...told }]]);
  },
);

it('gives nothing for no uuids', async () => expect(await collect(reconcile(sourceOf(), []))).toEqual([]));

it('a failed query gives an error for its own uuid only, 403 included', async () => {
  const { client } = await startService((uuid) => ({ foreign: 403, missing: 404 })[uuid] ?? 200);
  const uuids = ['a', 'foreign', '..', 'missing', 'b', 'c'];
  const results = await collect(reconcile(client, uuids, { concurrency: 2 }));
  expect(Object.fromEntries(results.map((result) => [result.uuid, result]))).toMatchObject({
    a: { transaction: {} },
    foreign: { error: { code: 'api_error', httpStatus: 403 } },
    '..': { error: { code: 'invalid_request' } },
    missing: { error: { code: 'api_error', httpStatus: 404 } },
    b: { transaction: {} },
    c: { transaction: {} },
  });
});

it('reads an infinite generator at most `concurrency` uuids ahead of the results taken', async () => {
  const source = endless();
  const results = reconcile(sourceOf(), source.uuids, { concurrency: 3 });
  expect(source.seen.read).toBe(0);
  for (let taken = 1; taken <= 50; taken += 1) {
    await results.next();
    await sleep(1);
    expect(source.seen.read).toBeLessThanOrEqual(taken + 3);
  }
  await results.return();
  expect(source.seen.closed).toBe(true);
});

it('a result does not wait for the next uuid of a slow source', async () => {
  async function* slow() {
    yield 'a';
    await new Promise(() => undefined);
  }
  const first = await Promise.race([reconcile(sourceOf(), slow()).next(), sleep(2_000, 'nothing came')]);
  expect(first).toMatchObject({ value: { uuid: 'a' } });
});

describe('leaving the loop early', () => {
  it('aborts the running queries and closes the source', async () => {
    const source = manualSource();
    const { seen, uuids } = endless();
    const results = reconcile(source, uuids);
    const first = results.next();
    await expect.poll(() => source.open.size).toBe(4);
    const signals = [...source.open.values()].map(({ signal }) => signal);
    source.end('uuid-1');
    expect((await first).value).toMatchObject({ uuid: 'uuid-1' });
    await results.return();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]);
    expect(source.open.size).toBe(0);
    expect(seen.closed).toBe(true);
  });

  it('waits until the source is closed', async () => {
    let closed = false;
    async function* uuids() {
      try {
        yield* 'ab';
      } finally {
        await sleep(20);
        closed = true;
      }
    }
    const results = reconcile(sourceOf(), uuids(), { concurrency: 1 });
    await results.next();
    await results.return();
    expect(closed).toBe(true);
  });

  it('closes the connections of the running queries', async () => {
    let closed = 0;
    const server = await startHttpServer(
      (response) => response.end('{}'),
      (response) => response.on('close', () => (closed += 1)),
    );
    for await (const _ of reconcile(clientFor(server), ['a', 'b', 'c'], { concurrency: 3 })) {
      await expect.poll(() => server.requests.length).toBe(3);
      break;
    }
    await expect.poll(() => closed).toBe(2);
  });
});

describe('a signal', () => {
  const reason = new Error('the night is over');

  it('that fires aborts the running queries and throws an AbortedError at once', async () => {
    const server = await startHttpServer(stall);
    const controller = new AbortController();
    const { signal } = controller;
    const failure = failureOf(reconcile(clientFor(server), [...'abcdef'], { signal }));
    await expect.poll(() => server.requests.length).toBe(4);
    const started = performance.now();
    controller.abort(reason);
    const thrown = await failure;
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 4, cause: reason });
    expect(thrown.message).toContain('The signal ended the reconciliation.');
    expect(server.requests).toHaveLength(4);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([
    [
      'a slow source is awaited',
      sourceOf(),
      { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) },
    ],
    ['a client ignores it', sourceOf(() => new Promise(() => undefined)), [...'abc']],
  ] as Array<[string, ReturnType<typeof sourceOf>, Uuids & object]>)(
    'that fires while %s throws at once',
    async (_, source, uuids) => {
      const failure = failureOf(reconcile(source, uuids, { signal: AbortSignal.timeout(10) }));
      expect(await Promise.race([failure, sleep(2_000, 'nothing came')])).toBeInstanceOf(AbortedError);
    },
  );

  it('that fires while a slow source is awaited prevents queries for uuids that come later', async () => {
    const gate = gateOf();
    async function* uuids() {
      await gate.promise;
      yield 'a';
    }
    const source = sourceOf();
    const failure = failureOf(reconcile(source, uuids(), { signal: AbortSignal.timeout(10) }));
    expect(await failure).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    gate.open();
    await sleep(10);
    expect(source.getTransaction).not.toHaveBeenCalled();
  });

  it('that has already fired prevents every query and every read of the source', async () => {
    const source = sourceOf();
    const { seen, uuids } = endless();
    const thrown = await failureOf(reconcile(source, uuids, { signal: AbortSignal.abort(reason) }));
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent', cause: reason });
    expect(source.getTransaction).not.toHaveBeenCalled();
    expect(seen.read).toBe(0);
  });

  it('that never fires keeps no listener, and many queries cause no leak warning', async () => {
    const { signal } = new AbortController();
    const { client } = await startService();
    const uuids = Array.from({ length: 60 }, (_, index) => `uuid-${index}`);
    expect(await collect(reconcile(client, uuids, { signal, concurrency: 20 }))).toHaveLength(60);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a bug in a test double of the client', () => {
  const bug = new TypeError('a bug');

  it('is thrown, and causes no unhandled rejection', async () => {
    const source = sourceOf(() => sleep(1).then(() => Promise.reject(bug)));
    expect(await failureOf(reconcile(source, [...'abcdef']))).toBe(bug);
    await sleep(20);
  });

  it('causes no unhandled rejection while no result is awaited', async () => {
    const source = sourceOf((uuid) => (uuid === 'a' ? undefined : Promise.reject(bug)));
    async function* uuids() {
      yield 'a';
      await sleep(10);
      yield 'b';
    }
    const results = reconcile(source, uuids());
    await results.next();
    await sleep(40);
    await expect(results.next()).rejects.toBe(bug);
  });
});

it('a source that pauses, and then gives many uuids at once, does not exceed the concurrency', async () => {
  const source = manualSource();
  const gate = gateOf();
  async function* uuids() {
    yield* 'ab';
    await gate.promise;
    yield* 'cdefgh';
  }
  const results = reconcile(source, uuids(), { concurrency: 2 });
  for (const uuid of 'ab') {
    const next = results.next();
    await expect.poll(() => source.open.has(uuid)).toBe(true);
    source.end(uuid);
    await next;
  }
  const next = results.next();
  gate.open();
  await expect.poll(() => source.open.size).toBe(2);
  await sleep(20);
  expect([...source.open.keys()]).toEqual(['c', 'd']);
  source.end('c');
  await next;
  await results.return();
  expect(source.most()).toBe(2);
});

describe('with a concurrency of 1', () => {
  it('one query runs at a time, and the next one starts when a result is awaited', async () => {
    const source = manualSource();
    const results = reconcile(source, ['a', 'b', 'c'], { concurrency: 1 });
    for (const uuid of ['a', 'b', 'c']) {
      const next = results.next();
      await expect.poll(() => [...source.open.keys()]).toEqual([uuid]);
      // Time for a second query to start, if it could.
      await sleep(20);
      expect([...source.open.keys()]).toEqual([uuid]);
      source.end(uuid);
      expect(await next).toEqual({ done: false, value: { uuid, transaction: { uuid } } });
      await sleep(20);
      expect([...source.open.keys()]).toEqual([]);
    }
    expect(await results.next()).toEqual({ done: true, value: undefined });
    expect(source.most()).toBe(1);
  });
});

describe('results that are ready are handed out before an error ends the loop:', () => {
  /** What came out before the error, while the caller was slow with the first result. */
  async function taken(
    results: AsyncGenerator<ReconcileResult>,
  ): Promise<{ uuids: string[]; thrown: unknown }> {
    const uuids: string[] = [];
    try {
      for await (const { uuid } of results) {
        uuids.push(uuid);
        await sleep(30);
      }
    } catch (thrown) {
      return { uuids, thrown };
    }
    throw new Error('Expected an error');
  }

  it('the error of the source, which also ends the running queries', async () => {
    const away = new Error('the database is away');
    async function* uuids() {
      yield* 'abc';
      await sleep(20);
      throw away;
    }
    const result = await taken(
      reconcile(
        sourceOf(() => sleep(5)),
        uuids(),
      ),
    );
    expect(result).toEqual({ uuids: ['a', 'b', 'c'], thrown: away });
    const source = manualSource();
    // What the end of the run aborted is no result.
    expect(await taken(reconcile(source, uuids()))).toEqual({ uuids: [], thrown: away });
    expect(source.open.size).toBe(0);
  });

  it('a 401', async () => {
    const source = sourceOf(async (uuid) => {
      await sleep(uuid === 'd' ? 15 : 5);
      if (uuid === 'd') throw apiError(401);
    });
    const { uuids, thrown } = await taken(reconcile(source, [...'abcdefgh']));
    expect(uuids).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(uuids).not.toContain('d');
    expect(thrown).toMatchObject({ httpStatus: 401 });
  });

  it('an error while no result is awaited, and later results of running queries', async () => {
    const gate = gateOf();
    const source = sourceOf(async (uuid) => {
      await (uuid === 'c' ? gate.promise : sleep(5));
      if (uuid === 'b') throw apiError(401);
    });
    const results = reconcile(source, [...'abc']);
    expect((await results.next()).value).toMatchObject({ uuid: 'a' });
    await sleep(15);
    // A client that ends at the signal would have ended this query: what came all the same is not lost.
    gate.open();
    await sleep(5);
    expect((await results.next()).value).toMatchObject({ uuid: 'c' });
    await expect(results.next()).rejects.toMatchObject({ httpStatus: 401 });
  });
});

describe('a 401, which every further query would get too,', () => {
  it('ends reconcile with that ApiError, and aborts the running queries', async () => {
    let closed = 0;
    const server = await startHttpServer((response, { url }) => {
      response.on('close', () => (closed += 1));
      if (url.endsWith('refused')) response.writeHead(401).end('{}');
    });
    const thrown = await failureOf(reconcile(clientFor(server), ['a', 'refused', 'b', 'c', 'd', 'e']));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ httpStatus: 401, outcome: 'refused' });
    expect(server.requests.length).toBeLessThanOrEqual(4);
    await expect.poll(() => server.requests.length - closed).toBe(0);
  });

  it('closes the source', async () => {
    const source = endless();
    const { client, server } = await startService(() => 401);
    expect(await failureOf(reconcile(client, source.uuids))).toMatchObject({ httpStatus: 401 });
    expect(source.seen.closed).toBe(true);
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });
});

describe('stopAfterFailures', () => {
  const failing = (succeeding: string) =>
    sourceOf((uuid) => {
      if (!succeeding.includes(uuid)) throw apiError(500, { body: uuid });
    });

  it('throws the error of the last failure in a row, after the results before it', async () => {
    const source = failing('ab');
    const seen: ReconcileResult[] = [];
    const run = async () => {
      const options = { concurrency: 1, stopAfterFailures: 3 };
      for await (const result of reconcile(source, [...'abcdefgh'], options)) seen.push(result);
    };
    await expect(run()).rejects.toMatchObject({ httpStatus: 500, body: 'e' });
    expect(seen.map(({ uuid, error }) => `${uuid}${error?.code ?? ''}`)).toEqual([
      'a',
      'b',
      'capi_error',
      'dapi_error',
    ]);
    expect(source.getTransaction).toHaveBeenCalledTimes(5);
  });

  it('starts to count again after a success, and is not set by default', async () => {
    const options = { concurrency: 1, stopAfterFailures: 3 };
    expect(await collect(reconcile(failing('cfi'), [...'abcdefghi'], options))).toHaveLength(9);
    const uuids = Array.from({ length: 100 }, (_, index) => `uuid-${index}`);
    expect(await collect(reconcile(failing(''), uuids))).toHaveLength(100);
  });
});

describe('timeoutMs', () => {
  it.each([undefined, 700])('of %s limits each query, its retries included', async (timeoutMs) => {
    const source = sourceOf();
    await collect(reconcile(source, ['a', 'b'], { timeoutMs }));
    const limits = { timeoutMs, totalTimeoutMs: timeoutMs, signal: expect.any(AbortSignal) };
    expect(source.getTransaction.mock.calls).toEqual([
      ['a', limits],
      ['b', limits],
    ]);
  });

  it('makes an error of the one query that the service does not answer', async () => {
    const server = await startHttpServer((response, { url }) => {
      if (!url.endsWith('slow')) response.end('{}');
    });
    const results = await collect(reconcile(clientFor(server), ['a', 'slow', 'b'], { timeoutMs: 80 }));
    expect(results).toHaveLength(3);
    expect(results.find(({ uuid }) => uuid === 'slow')?.error).toMatchObject({ code: 'timeout' });
  });
});

describe('onProgress', () => {
  it('is called before the result that it counts is handed out, failures included', async () => {
    const events: unknown[] = [];
    const source = sourceOf((uuid) => {
      if (uuid === 'b') throw apiError(404);
    });
    const onProgress = ({ done }: { done: number }) => events.push(done);
    const results = reconcile(source, [...'abc'], { concurrency: 1, onProgress });
    for await (const { uuid } of results) events.push(uuid);
    expect(events).toEqual([1, 'a', 2, 'b', 3, 'c']);
  });

  it.each([
    ['throws', () => expect.fail('the log is full')],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('that %s changes nothing', async (_, onProgress) => {
    expect(await collect(reconcile(sourceOf(), ['a', 'b'], { onProgress }))).toHaveLength(2);
  });
});

describe('on a clock that the test moves', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Notes when each query was asked. */
  function timedSource(answer: (uuid: string, ask: number) => unknown = () => undefined) {
    const start = performance.now();
    const asked: Array<[uuid: string, atMs: number]> = [];
    const source = sourceOf((uuid) => {
      asked.push([uuid, performance.now() - start]);
      return answer(uuid, asked.filter(([other]) => other === uuid).length);
    });
    return { ...source, asked };
  }

  async function finish<T>(run: Promise<T>, ms: number): Promise<T> {
    await vi.advanceTimersByTimeAsync(ms);
    return run;
  }

  it.each([
    [4, 10, [0, 250, 500, 750, 1_000, 1_250]],
    [10, 4, [0, 100, 200, 300, 400, 500]],
    [0.5, 4, [0, 2_000, 4_000, 6_000, 8_000, 10_000]],
  ])(
    'a perSecond of %d with a concurrency of %d spaces the starts of the queries evenly, in order',
    async (perSecond, concurrency, times) => {
      const source = timedSource();
      await finish(collect(reconcile(source, [...'abcdef'], { perSecond, concurrency })), 20_000);
      expect(source.asked).toEqual([...'abcdef'].map((uuid, index) => [uuid, times[index]]));
    },
  );

  it('perSecond makes up for no time that a slow query lost', async () => {
    const slow = (uuid: string) => uuid === 'a' && new Promise((resolve) => setTimeout(resolve, 3_000));
    const source = timedSource(slow);
    await finish(collect(reconcile(source, [...'abc'], { perSecond: 1, concurrency: 1 })), 10_000);
    expect(source.asked.map(([, atMs]) => atMs)).toEqual([0, 3_000, 4_000]);
  });

  it('a signal ends the wait for a turn at once', async () => {
    const source = timedSource();
    const controller = new AbortController();
    const options = { perSecond: 0.001, signal: controller.signal };
    const run = failureOf(reconcile(source, [...'abc'], options));
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    expect(await run).toBeInstanceOf(AbortedError);
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(source.asked).toEqual([['a', 0]]);
  });

  it('a 429 is the error of its query, whatever wait it asks for, and the run goes on at once', async () => {
    const source = timedSource((uuid) => {
      if (uuid === 'b') throw apiError(429, { retryAfterMs: 86_400_000 });
    });
    const results = await finish(collect(reconcile(source, [...'abc'], { concurrency: 1 })), 1_000);
    expect(results).toMatchObject([{ uuid: 'a' }, { uuid: 'b', error: { httpStatus: 429 } }, { uuid: 'c' }]);
    expect(source.asked).toEqual([...'abc'].map((uuid) => [uuid, 0]));
    expect(vi.getTimerCount()).toBe(0);
  });
});

it.each([
  ['concurrency', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4']],
  ['perSecond', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '4']],
  ['timeoutMs', [0, -1, Number.NaN, '700']],
  ['stopAfterFailures', [0, -1, 1.5, Number.NaN, '3']],
  ['onProgress', [true, {}]],
])('%s is refused and named where it is one of %o, and may be undefined', async (name, wrong) => {
  for (const value of wrong) {
    const thrown = await failureOf(reconcile(sourceOf(), [], { [name]: value } as Options));
    expect(thrown).toMatchObject({ code: 'configuration', message: expect.stringContaining(`\`${name}\``) });
  }
  expect(await collect(reconcile(sourceOf(), ['a'], { [name]: undefined, signal: null }))).toHaveLength(1);
});

it('an onProgress that is no function is refused with the form that it must have', async () => {
  const thrown = await failureOf(reconcile(sourceOf(), [], { onProgress: true as never }));
  expect(thrown).toMatchObject({ message: expect.stringContaining('({ done, total }) => void') });
});

it.each([
  ['a text', 'uuid-1'],
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
  ['an object', { 0: 'a', length: 1 }],
  ['a generator function', function* () {}],
  ['a promise', Promise.resolve(['a'])],
])('%s instead of uuids is refused, and no query is sent', async (_, uuids) => {
  const source = sourceOf();
  const thrown = await failureOf(reconcile(source, uuids as never));
  expect(thrown).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('`transactionUUIDs`'),
  });
  expect(source.getTransaction).not.toHaveBeenCalled();
});

it('a polluted prototype adds no options', async () => {
  const source = manualSource();
  Object.assign(Object.prototype, { concurrency: 1, signal: AbortSignal.abort() });
  try {
    const results = reconcile(source, [...'abcdefgh'], {});
    const first = results.next();
    await expect.poll(() => source.open.size).toBe(4);
    source.end('a');
    expect((await first).value).toEqual({ uuid: 'a', transaction: { uuid: 'a' } });
    await results.return();
  } finally {
    for (const name of ['concurrency', 'signal']) Reflect.deleteProperty(Object.prototype, name);
  }
});
