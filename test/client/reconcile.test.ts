import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortedError,
  ApiError,
  ConfigurationError,
  type Reconciled,
  reconcile,
  type Transaction,
} from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stall, startHttpServer } from '../helpers/http-server';
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

/** A source whose queries end only when the test calls `end`. */
function manualSource() {
  const open = new Map<string, { resolve: (transaction: Transaction) => void; signal: AbortSignal }>();
  let most = 0;
  return {
    open,
    get most() {
      return most;
    },
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

const abortedError = () =>
  new AbortedError('m', { operation: 'getTransaction', attempts: 1, outcome: 'unknown', cause: undefined });

const apiError = (httpStatus: number, more: { body?: unknown; retryAfterMs?: number } = {}) =>
  new ApiError('m', {
    operation: 'getTransaction',
    attempts: 1,
    outcome: 'refused',
    httpStatus,
    body: {},
    ...more,
  });

async function collect(results: AsyncIterable<Reconciled>): Promise<Reconciled[]> {
  const collected = [];
  for await (const result of results) collected.push(result);
  return collected;
}

const immediate = { getTransaction: vi.fn(async (uuid: string) => ({ uuid, situation: 'PAID' })) };

it('reconcile gives every transaction once, over real HTTP, with at most `concurrency` queries at a time', async () => {
  let [now, most] = [0, 0];
  const server = await startHttpServer(async (response, { url }) => {
    most = Math.max(most, ++now);
    await sleep(5);
    now -= 1;
    response.end(JSON.stringify({ uuid: url.split('/').pop() }));
  });
  const uuids = Array.from({ length: 25 }, (_, index) => `uuid-${index}`);
  const results = await collect(reconcile(clientFor(server), uuids, { concurrency: 3 }));
  expect(results.map(({ uuid }) => uuid).sort()).toEqual(uuids.sort());
  for (const { uuid, transaction } of results) expect(transaction?.uuid).toBe(uuid);
  expect(most).toBe(3);
});

it('reconcile runs four queries at a time by default', async () => {
  const source = manualSource();
  const results = reconcile(source, [...'abcdefgh']);
  const first = results.next();
  await expect.poll(() => source.open.size).toBe(4);
  source.end('c');
  expect((await first).value).toEqual({ uuid: 'c', transaction: { uuid: 'c' } });
  await results.return();
  expect(source.most).toBe(4);
});

it.each([
  ['an array', () => ['a', 'b']],
  ['a set', () => new Set(['a', 'b'])],
  [
    'a generator',
    function* () {
      yield* ['a', 'b'];
    },
  ],
  [
    'an async generator',
    async function* () {
      yield* ['a', 'b'];
    },
  ],
  ['a readable stream', () => ReadableStream.from(['a', 'b'])],
  ['nothing', () => []],
] as Array<[string, () => Iterable<string> | AsyncIterable<string>]>)(
  'reconcile takes its uuids from %s',
  async (what, make) => {
    const results = await collect(reconcile(immediate, make()));
    expect(results.map(({ uuid }) => uuid).sort()).toEqual(what === 'nothing' ? [] : ['a', 'b']);
  },
);

it('a failed query gives an error for its own uuid only', async () => {
  const server = await startHttpServer((response, { url }) => {
    response.statusCode = url.endsWith('bad') ? 404 : 200;
    response.end('{}');
  });
  const results = await collect(reconcile(clientFor(server), ['a', 'bad', '..', 'b']));
  const byUuid = Object.fromEntries(results.map((result) => [result.uuid, result]));
  expect(byUuid).toMatchObject({
    a: { transaction: {} },
    bad: { error: { code: 'api_error', httpStatus: 404 } },
    '..': { error: { code: 'invalid_request' } },
    b: { transaction: {} },
  });
});

it('an infinite generator is read at most `concurrency` uuids ahead of the results taken', async () => {
  let read = 0;
  let closed = false;
  function* forever() {
    try {
      for (;;) yield `uuid-${read++}`;
    } finally {
      closed = true;
    }
  }
  const results = reconcile(immediate, forever(), { concurrency: 3 });
  expect(read).toBe(0);
  for (let taken = 1; taken <= 50; taken += 1) {
    await results.next();
    await sleep(1);
    expect(read).toBeLessThanOrEqual(taken + 3);
  }
  await results.return();
  expect(closed).toBe(true);
});

it('a result does not wait for the next uuid of a slow source', async () => {
  async function* slow() {
    yield 'a';
    await new Promise(() => undefined);
  }
  const results = reconcile(immediate, slow());
  const first = await Promise.race([results.next(), sleep(2_000, 'nothing came')]);
  expect(first).toMatchObject({ value: { uuid: 'a' } });
});

it('leaving the loop early aborts the running queries and closes the source', async () => {
  const source = manualSource();
  const signals: AbortSignal[] = [];
  let closed = false;
  function* uuids() {
    try {
      yield* 'abcdef';
    } finally {
      closed = true;
    }
  }
  setTimeout(() => {
    signals.push(...[...source.open.values()].map(({ signal }) => signal));
    source.end('b');
  }, 20);
  for await (const { uuid } of reconcile(source, uuids())) {
    expect(uuid).toBe('b');
    break;
  }
  expect(signals).toHaveLength(4);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
  expect(source.open.size).toBe(0);
  expect(closed).toBe(true);
});

it('leaving the loop early waits until the source is closed', async () => {
  let closed = false;
  async function* uuids() {
    try {
      yield* 'ab';
    } finally {
      await sleep(20);
      closed = true;
    }
  }
  const results = reconcile(immediate, uuids(), { concurrency: 1 });
  await results.next();
  await results.return();
  expect(closed).toBe(true);
});

it('leaving the loop early closes the connections of the running queries', async () => {
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

describe('a signal', () => {
  const reason = new Error('the night is over');

  it('that fires aborts the running queries and throws an AbortedError at once', async () => {
    const server = await startHttpServer(stall);
    const controller = new AbortController();
    const failure = collect(reconcile(clientFor(server), [...'abcdef'], { signal: controller.signal })).catch(
      (e) => e,
    );
    await expect.poll(() => server.requests.length).toBe(4);
    const started = performance.now();
    controller.abort(reason);
    const thrown = await failure;
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 4, cause: reason });
    expect(thrown.message).toContain('The signal ended the reconciliation.');
    expect(server.requests).toHaveLength(4);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('that fires while a slow source is awaited throws at once', async () => {
    const never = {
      async *[Symbol.asyncIterator]() {
        await new Promise(() => undefined);
        yield 'a';
      },
    };
    const controller = new AbortController();
    const failure = collect(reconcile(immediate, never, { signal: controller.signal })).catch((e) => e);
    await sleep(5);
    controller.abort(reason);
    expect(await Promise.race([failure, sleep(2_000, 'nothing came')])).toBeInstanceOf(AbortedError);
  });

  it('that fires while a slow source is awaited prevents queries for uuids that come later', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    async function* uuids() {
      await gate;
      yield 'a';
    }
    const source = { getTransaction: vi.fn(async () => ({})) };
    const controller = new AbortController();
    const failure = collect(reconcile(source, uuids(), { signal: controller.signal })).catch((e) => e);
    await sleep(5);
    controller.abort(reason);
    expect(await failure).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    open();
    await sleep(10);
    expect(source.getTransaction).not.toHaveBeenCalled();
  });

  it('that fires throws at once even when the client ignores it', async () => {
    const deaf = { getTransaction: () => new Promise<Transaction>(() => undefined) };
    const controller = new AbortController();
    const failure = collect(reconcile(deaf, [...'abc'], { signal: controller.signal })).catch((e) => e);
    await sleep(5);
    controller.abort(reason);
    expect(await Promise.race([failure, sleep(2_000, 'nothing came')])).toBeInstanceOf(AbortedError);
  });

  it('that has already fired prevents every query and every read of the source', async () => {
    const source = { getTransaction: vi.fn(async () => ({})) };
    const read = vi.fn(function* () {
      yield 'a';
    });
    const options = { signal: AbortSignal.abort(reason) };
    const thrown = await collect(reconcile(source, { [Symbol.iterator]: read }, options)).catch((e) => e);
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent', cause: reason });
    expect(source.getTransaction).not.toHaveBeenCalled();
    expect(read).not.toHaveBeenCalled();
  });

  it('that never fires keeps no listener, and many queries cause no leak warning', async () => {
    const { signal } = new AbortController();
    const server = await startHttpServer((response) => response.end('{}'));
    const uuids = Array.from({ length: 60 }, (_, index) => `uuid-${index}`);
    const results = await collect(reconcile(clientFor(server), uuids, { signal, concurrency: 20 }));
    expect(results).toHaveLength(60);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('an error of the source ends reconcile and its running queries', async () => {
  const source = manualSource();
  function* uuids() {
    yield 'a';
    throw new Error('the database is away');
  }
  await expect(collect(reconcile(source, uuids()))).rejects.toMatchObject({
    message: 'the database is away',
  });
  expect(source.open.size).toBe(0);
});

it('a bug in a test double of the client is thrown, and causes no unhandled rejection', async () => {
  const source = {
    getTransaction: async () => {
      await sleep(1);
      throw new TypeError('a bug');
    },
  };
  await expect(collect(reconcile(source, [...'abcdef']))).rejects.toMatchObject({
    name: 'TypeError',
    message: 'a bug',
  });
  await sleep(20);
});

it('a bug in a test double of the client causes no unhandled rejection while no result is awaited', async () => {
  const source = {
    getTransaction: async (uuid: string) => {
      if (uuid !== 'a') throw new TypeError('a bug');
      return {};
    },
  };
  async function* uuids() {
    yield 'a';
    await sleep(10);
    yield 'b';
  }
  const results = reconcile(source, uuids());
  await results.next();
  await sleep(40);
  await expect(results.next()).rejects.toMatchObject({ name: 'TypeError', message: 'a bug' });
});

it('a source that pauses, and then gives many uuids at once, does not exceed the concurrency', async () => {
  const source = manualSource();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  async function* uuids() {
    yield* 'ab';
    await gate;
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
  open();
  await expect.poll(() => source.open.size).toBe(2);
  await sleep(20);
  expect([...source.open.keys()]).toEqual(['c', 'd']);
  source.end('c');
  await next;
  await results.return();
  expect(source.most).toBe(2);
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
    expect(source.most).toBe(1);
  });

  it('one query runs at a time over real HTTP, however the source gives its uuids', async () => {
    let [now, most] = [0, 0];
    const server = await startHttpServer(async (response) => {
      most = Math.max(most, ++now);
      await sleep(5);
      now -= 1;
      response.end('{}');
    });
    async function* slow() {
      for (const uuid of 'abcdef') {
        await sleep(uuid < 'd' ? 0 : 8);
        yield uuid;
      }
    }
    for (const uuids of [[...'abcdef'], slow()]) {
      expect(await collect(reconcile(clientFor(server), uuids, { concurrency: 1 }))).toHaveLength(6);
    }
    expect(most).toBe(1);
  });
});

it('one uuid that is answered 403 hides no other one', async () => {
  const server = await startHttpServer((response, { url }) => {
    response.statusCode = url.endsWith('foreign') ? 403 : 200;
    response.end('{}');
  });
  const uuids = ['a', 'foreign', 'b', 'c', 'd', 'e', 'f', 'g'];
  const results = await collect(reconcile(clientFor(server), uuids, { concurrency: 2 }));
  expect(results.map(({ uuid }) => uuid).sort()).toEqual([...uuids].sort());
  expect(results.filter(({ error }) => error !== undefined)).toMatchObject([
    { uuid: 'foreign', error: { code: 'api_error', httpStatus: 403 } },
  ]);
});

describe('results that are ready are handed out before an error ends the loop:', () => {
  /** What came out before the error, while the caller was slow with the first result. */
  async function taken(results: AsyncGenerator<Reconciled>): Promise<{ uuids: string[]; thrown: unknown }> {
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

  it('the error of the source', async () => {
    const source = {
      getTransaction: async (uuid: string) => {
        await sleep(5);
        return { uuid };
      },
    };
    async function* uuids() {
      yield* 'abc';
      await sleep(20);
      throw new Error('the database is away');
    }
    const { uuids: before, thrown } = await taken(reconcile(source, uuids()));
    expect(before).toEqual(['a', 'b', 'c']);
    expect(thrown).toMatchObject({ message: 'the database is away' });
  });

  it('a 401', async () => {
    const source = {
      getTransaction: async (uuid: string) => {
        await sleep(uuid === 'd' ? 15 : 5);
        if (uuid === 'd') throw apiError(401);
        return { uuid };
      },
    };
    const { uuids, thrown } = await taken(reconcile(source, [...'abcdefgh']));
    expect(uuids).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(uuids).not.toContain('d');
    expect(thrown).toMatchObject({ httpStatus: 401 });
  });

  it('an error while no result is awaited, and later results of running queries', async () => {
    const release: Array<() => void> = [];
    const source = {
      getTransaction: async (uuid: string) => {
        await (uuid === 'c' ? new Promise<void>((resolve) => release.push(resolve)) : sleep(5));
        if (uuid === 'b') throw apiError(401);
        return { uuid };
      },
    };
    const results = reconcile(source, [...'abc']);
    expect((await results.next()).value).toMatchObject({ uuid: 'a' });
    await sleep(15);
    // A client that ends at the signal would have ended this query: what came all the same is not lost.
    for (const resolve of release) resolve();
    await sleep(5);
    expect((await results.next()).value).toMatchObject({ uuid: 'c' });
    await expect(results.next()).rejects.toMatchObject({ httpStatus: 401 });
  });
});

describe('stopAfterFailures', () => {
  const failing = (succeeding: string) => ({
    getTransaction: vi.fn(async (uuid: string) => {
      if (!succeeding.includes(uuid)) throw apiError(500, { body: uuid });
      return { uuid };
    }),
  });

  it('throws the error of the last failure in a row, after the results before it', async () => {
    const source = failing('ab');
    const seen: Reconciled[] = [];
    const run = async () => {
      for await (const result of reconcile(source, [...'abcdefgh'], { concurrency: 1, stopAfterFailures: 3 }))
        seen.push(result);
    };
    await expect(run()).rejects.toMatchObject({ httpStatus: 500, body: 'e' });
    expect(seen.map(({ uuid, error }) => [uuid, error?.code])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', 'api_error'],
      ['d', 'api_error'],
    ]);
    expect(source.getTransaction).toHaveBeenCalledTimes(5);
  });

  it('starts to count again after a success', async () => {
    const options = { concurrency: 1, stopAfterFailures: 3 };
    expect(await collect(reconcile(failing('cfi'), [...'abcdefghi'], options))).toHaveLength(9);
  });

  it('is not set by default: any number of failures is handed out', async () => {
    const uuids = Array.from({ length: 100 }, (_, index) => `uuid-${index}`);
    expect(await collect(reconcile(failing(''), uuids))).toHaveLength(100);
  });

  it.each([0, -1, 1.5, Number.NaN, '3'])('of %s is refused', async (stopAfterFailures) => {
    const failure = collect(reconcile(immediate, [], { stopAfterFailures: stopAfterFailures as number }));
    await expect(failure).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('`stopAfterFailures`'),
    });
  });
});

describe('timeoutMs', () => {
  it('limits each query, its retries included', async () => {
    const source = { getTransaction: vi.fn(async (uuid: string) => ({ uuid })) };
    await collect(reconcile(source, ['a', 'b'], { timeoutMs: 700 }));
    for (const call of source.getTransaction.mock.calls as unknown as Array<[string, object]>) {
      expect(call[1]).toMatchObject({ timeoutMs: 700, totalTimeoutMs: 700 });
    }
  });

  it('is left to the client by default', async () => {
    const source = { getTransaction: vi.fn(async (uuid: string) => ({ uuid })) };
    await collect(reconcile(source, ['a']));
    const [, options] = source.getTransaction.mock.calls[0] as unknown as [string, object];
    expect(options).toMatchObject({ timeoutMs: undefined, totalTimeoutMs: undefined });
  });

  it('makes an error of the one query that the service does not answer', async () => {
    const server = await startHttpServer((response, { url }) => {
      if (!url.endsWith('slow')) response.end('{}');
    });
    const results = await collect(reconcile(clientFor(server), ['a', 'slow', 'b'], { timeoutMs: 80 }));
    expect(results).toHaveLength(3);
    expect(results.find(({ uuid }) => uuid === 'slow')?.error).toMatchObject({ code: 'timeout' });
  });

  it.each([0, -1, Number.NaN, '700'])('of %s is refused', async (timeoutMs) => {
    const failure = collect(reconcile(immediate, [], { timeoutMs: timeoutMs as number }));
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('`timeoutMs`') });
  });
});

describe('onProgress', () => {
  const progressOf = async (uuids: Iterable<string> | AsyncIterable<string>) => {
    const onProgress = vi.fn();
    await collect(reconcile(immediate, uuids, { onProgress }));
    return onProgress.mock.calls.map(([progress]) => progress);
  };

  it('counts the results up to the number of uuids', async () => {
    const expected = [1, 2, 3].map((done) => ({ done, total: 3 }));
    expect(await progressOf(['a', 'b', 'c'])).toEqual(expected);
    expect(await progressOf(new Set(['a', 'b', 'c']))).toEqual(expected);
  });

  it('has no total when the source does not tell how many there are', async () => {
    async function* uuids() {
      yield* 'ab';
    }
    expect(await progressOf(uuids())).toEqual([{ done: 1 }, { done: 2 }]);
  });

  it('is called before the result that it counts is handed out, failures included', async () => {
    const events: unknown[] = [];
    const source = {
      getTransaction: async (uuid: string) => {
        if (uuid === 'b') throw apiError(404);
        return { uuid };
      },
    };
    const onProgress = ({ done }: { done: number }) => events.push(done);
    for await (const { uuid } of reconcile(source, [...'abc'], { concurrency: 1, onProgress }))
      events.push(uuid);
    expect(events).toEqual([1, 'a', 2, 'b', 3, 'c']);
  });

  it('that throws changes nothing', async () => {
    const onProgress = () => {
      throw new Error('the log is full');
    };
    expect(await collect(reconcile(immediate, ['a', 'b'], { onProgress }))).toHaveLength(2);
  });

  it('that rejects changes nothing, and leaves no rejection that would end the process', async () => {
    const onProgress = () => Promise.reject(new Error('the log is full'));
    expect(await collect(reconcile(immediate, ['a', 'b'], { onProgress }))).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('that is not a function is refused', async () => {
    const failure = collect(reconcile(immediate, [], { onProgress: true as never }));
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('`onProgress`') });
  });
});

describe('on a clock that the test moves', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Answers at once, and notes when each query was asked. */
  function timedSource(answer: (uuid: string, ask: number) => Transaction = (uuid) => ({ uuid })) {
    const start = performance.now();
    const asked: Array<[uuid: string, atMs: number]> = [];
    const getTransaction = async (uuid: string) => {
      asked.push([uuid, performance.now() - start]);
      return answer(uuid, asked.filter(([other]) => other === uuid).length);
    };
    return { asked, getTransaction };
  }

  async function finish<T>(run: Promise<T>, ms: number): Promise<T> {
    await vi.advanceTimersByTimeAsync(ms);
    return run;
  }

  it('perSecond spaces the starts of the queries evenly, whatever the concurrency', async () => {
    const source = timedSource();
    const run = collect(reconcile(source, [...'abcdef'], { perSecond: 4, concurrency: 10 }));
    expect(await finish(run, 5_000)).toHaveLength(6);
    expect(source.asked.map(([, atMs]) => atMs)).toEqual([0, 250, 500, 750, 1_000, 1_250]);
    expect(source.asked.map(([uuid]) => uuid).join('')).toBe('abcdef');
  });

  it('perSecond keeps the order of the source, so that no uuid waits until the end', async () => {
    const source = timedSource();
    const uuids = [...'abcdefghijklmnop'];
    await finish(collect(reconcile(source, uuids, { perSecond: 10, concurrency: 4 })), 5_000);
    expect(source.asked.map(([uuid]) => uuid)).toEqual(uuids);
  });

  it('perSecond may be a fraction', async () => {
    const source = timedSource();
    await finish(collect(reconcile(source, [...'abc'], { perSecond: 0.5 })), 10_000);
    expect(source.asked.map(([, atMs]) => atMs)).toEqual([0, 2_000, 4_000]);
  });

  it('a signal ends the wait for a turn at once', async () => {
    const source = timedSource();
    const controller = new AbortController();
    const options = { perSecond: 0.001, signal: controller.signal };
    const run = collect(reconcile(source, [...'abc'], options)).catch((error) => error);
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    expect(await run).toBeInstanceOf(AbortedError);
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(source.asked).toEqual([['a', 0]]);
  });

  it('a 429 lets every query wait as long as the service asks, and is then asked again', async () => {
    const source = timedSource((uuid, ask) => {
      if (uuid === 'b' && ask === 1) throw apiError(429, { retryAfterMs: 3_000 });
      return { uuid };
    });
    const run = collect(reconcile(source, [...'abcdefgh'], { concurrency: 2 }));
    const results = await finish(run, 10_000);
    expect(results.map(({ uuid, error }) => [uuid, error]).sort()).toEqual(
      [...'abcdefgh'].map((uuid) => [uuid, undefined]),
    );
    const before = source.asked.filter(([, atMs]) => atMs < 3_000).map(([uuid]) => uuid);
    expect(before).toEqual(['a', 'b']);
    expect(source.asked.every(([, atMs]) => atMs === 0 || atMs === 3_000)).toBe(true);
    expect(source.asked).toHaveLength(9);
  });

  it('a 429 that does not say how long lets every query wait for a second', async () => {
    const source = timedSource((uuid, ask) => {
      if (uuid === 'a' && ask === 1) throw apiError(429);
      return { uuid };
    });
    await finish(collect(reconcile(source, [...'abc'], { concurrency: 1 })), 5_000);
    expect(source.asked).toEqual([
      ['a', 0],
      ['a', 1_000],
      ['b', 1_000],
      ['c', 1_000],
    ]);
  });

  it('a uuid that gets 429 three times becomes an error, and the run goes on', async () => {
    const source = timedSource((uuid) => {
      if (uuid === 'a') throw apiError(429, { retryAfterMs: 500 });
      return { uuid };
    });
    const results = await finish(collect(reconcile(source, ['a', 'b'], { concurrency: 1 })), 10_000);
    expect(results).toMatchObject([{ uuid: 'a', error: { httpStatus: 429 } }, { uuid: 'b' }]);
    expect(source.asked.map(([, atMs]) => atMs)).toEqual([0, 500, 1_000, 1_500]);
  });

  it('the wait after a 429 ends at once with the signal, and when the loop is left', async () => {
    const source = timedSource((uuid) => {
      if (uuid === 'b') throw apiError(429, { retryAfterMs: 1e9 });
      return { uuid };
    });
    const controller = new AbortController();
    const run = collect(reconcile(source, [...'abc'], { signal: controller.signal })).catch((error) => error);
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    expect(await run).toBeInstanceOf(AbortedError);
    for await (const { uuid } of reconcile(source, [...'abc'])) {
      expect(uuid).toBe('a');
      break;
    }
    expect(vi.getTimerCount()).toBe(0);
  });
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '4'])(
  'a perSecond of %s is refused',
  async (perSecond) => {
    const failure = collect(reconcile(immediate, [], { perSecond: perSecond as number }));
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('`perSecond`') });
  },
);

it.each(['concurrency', 'perSecond', 'timeoutMs', 'stopAfterFailures', 'onProgress'])(
  '%s may be undefined',
  async (name) => {
    expect(await collect(reconcile(immediate, ['a'], { [name]: undefined }))).toHaveLength(1);
  },
);

describe.each([401])('a %d, which every further query would get too,', (status) => {
  it('ends reconcile with that ApiError, and aborts the running queries', async () => {
    let closed = 0;
    const server = await startHttpServer((response, { url }) => {
      response.on('close', () => (closed += 1));
      if (!url.endsWith('refused')) return;
      response.statusCode = status;
      response.end('{}');
    });
    const uuids = ['a', 'refused', 'b', 'c', 'd', 'e'];
    const thrown = await collect(reconcile(clientFor(server), uuids)).catch((error) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ httpStatus: status, outcome: 'refused' });
    expect(server.requests.length).toBeLessThanOrEqual(4);
    await expect.poll(() => server.requests.length - closed).toBe(0);
  });

  it('closes the source', async () => {
    let closed = false;
    function* uuids() {
      try {
        for (;;) yield 'a';
      } finally {
        closed = true;
      }
    }
    const server = await startHttpServer((response) => {
      response.statusCode = status;
      response.end('{}');
    });
    const thrown = await collect(reconcile(clientFor(server), uuids())).catch((error) => error);
    expect(thrown).toMatchObject({ httpStatus: status });
    expect(closed).toBe(true);
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });
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
  const source = { getTransaction: vi.fn(async () => ({})) };
  const thrown = await collect(reconcile(source, uuids as never)).catch((error) => error);
  expect(thrown).toBeInstanceOf(ConfigurationError);
  expect(thrown.message).toContain('`transactionUUIDs`');
  expect(source.getTransaction).not.toHaveBeenCalled();
});

it('a polluted prototype adds no options', async () => {
  const polluted = Object.prototype as unknown as Record<string, unknown>;
  const source = manualSource();
  Object.assign(polluted, { concurrency: 1, signal: AbortSignal.abort() });
  try {
    const results = reconcile(source, [...'abcdefgh'], {});
    const first = results.next();
    await expect.poll(() => source.open.size).toBe(4);
    source.end('a');
    expect((await first).value).toEqual({ uuid: 'a', transaction: { uuid: 'a' } });
    await results.return();
  } finally {
    for (const name of ['concurrency', 'signal']) delete polluted[name];
  }
});

it.each([null, undefined])('a signal of %s counts as no signal', async (signal) => {
  expect(await collect(reconcile(immediate, ['a'], { signal }))).toHaveLength(1);
});

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4'])(
  'a concurrency of %s is refused',
  async (concurrency) => {
    const failure = collect(reconcile(immediate, [], { concurrency: concurrency as number }));
    await expect(failure).rejects.toBeInstanceOf(ConfigurationError);
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('`concurrency`') });
  },
);
