import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedError, ApiError, type ReconcileResult, reconcile, type Transaction } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../helpers/deferred';
import { startHttpServer } from '../helpers/http-server';
import { clientFor, failOnWarnings, failureOf, withoutBackOff } from './support';

beforeEach(withoutBackOff);
afterEach(() => void vi.restoreAllMocks());
failOnWarnings();

type Options = Parameters<typeof reconcile>[2];
type Uuids = Parameters<typeof reconcile>[1];

const context = { operation: 'getTransaction', attempts: 1 } as const;
const abortedError = () => new AbortedError('m', { ...context, outcome: 'unknown', cause: undefined });
const apiError = (httpStatus: number, more: { body?: unknown; retryAfterMs?: number } = {}) =>
  new ApiError('m', { ...context, outcome: 'refused', httpStatus, body: {}, ...more });

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

/** A source that answers at once, or after what `answer` gives. */
function sourceOf(answer: (uuid: string) => unknown = () => undefined) {
  return {
    getTransaction: vi.fn(async (uuid: string, _options?: object): Promise<Transaction> => {
      await answer(uuid);
      return { uuid };
    }),
  };
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

const numbered = (length: number) => Array.from({ length }, (_, index) => `uuid-${index}`);
const never = () => new Promise<never>(() => undefined);

/** The results, each in one line, and the error that ended the loop: `a`, `b: api_error 404`, `thrown: api_error 401`. */
async function linesOf(results: AsyncIterable<ReconcileResult>, slowMs = 0): Promise<string[]> {
  const lines: string[] = [];
  const nameOf = (error: unknown) => {
    const { code, httpStatus = '', message } = error as ApiError;
    return code === undefined ? message : `${code} ${httpStatus}`.trimEnd();
  };
  try {
    for await (const { uuid, transaction, error } of results) {
      if (error === undefined) expect(transaction.uuid).toBe(uuid);
      lines.push(error === undefined ? uuid : `${uuid}: ${nameOf(error)}`);
      if (slowMs > 0) await sleep(slowMs);
    }
  } catch (thrown) {
    lines.push(`thrown: ${nameOf(thrown)}`);
  }
  return lines;
}

/** The error that ends the loop, whatever comes before it. */
async function thrownBy(results: AsyncIterable<ReconcileResult>) {
  const drain = async () => {
    for await (const _ of results);
  };
  return failureOf(drain());
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
  const lines = await linesOf(reconcile(client, numbered(25), { concurrency: 3 }));
  expect(lines.sort()).toEqual(numbered(25).sort());
  expect(seen.most).toBeLessThanOrEqual(3);
});

function* twice() {
  yield* 'ab';
}
async function* twiceAsync() {
  yield* 'ab';
}

it.each([
  ['an array', ['a', 'b'], { total: 2 }],
  ['an empty array', [], { total: 0 }],
  ['a set', new Set(['a', 'b']), { total: 2 }],
  ['a generator', twice(), {}],
  ['an async generator', twiceAsync(), {}],
  ['a readable stream', ReadableStream.from(['a', 'b']), {}],
] as Array<[string, Uuids, { total?: number }]>)(
  'takes its uuids from %s, and tells onProgress how many there are if it can',
  async (_, uuids, told) => {
    const onProgress = vi.fn();
    const given = told.total === 0 ? [] : ['a', 'b'];
    expect((await linesOf(reconcile(sourceOf(), uuids, { onProgress }))).sort()).toEqual(given);
    expect(onProgress.mock.calls).toStrictEqual(given.map((_, index) => [{ done: index + 1, ...told }]));
  },
);

it('a failed query gives an error for its own uuid only, a 403 included', async () => {
  const { client } = await startService((uuid) => ({ foreign: 403, missing: 404 })[uuid] ?? 200);
  const uuids = ['a', 'foreign', '..', 'missing', 'b', 'c'];
  const lines = await linesOf(reconcile(client, uuids, { concurrency: 2 }));
  const errors = ['..: invalid_request', 'foreign: api_error 403', 'missing: api_error 404'];
  expect(lines.sort()).toEqual([...errors, 'a', 'b', 'c'].sort());
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
    await never();
  }
  const first = await Promise.race([reconcile(sourceOf(), slow()).next(), sleep(2_000, 'nothing came')]);
  expect(first).toMatchObject({ value: { uuid: 'a' } });
});

describe('leaving the loop early', () => {
  it('aborts the running queries, four by default, and closes the source', async () => {
    const source = manualSource();
    const { seen, uuids } = endless();
    const results = reconcile(source, uuids);
    const first = results.next();
    await expect.poll(() => source.open.size).toBe(4);
    const signals = [...source.open.values()].map(({ signal }) => signal);
    source.end('uuid-1');
    expect((await first).value).toEqual({ uuid: 'uuid-1', transaction: { uuid: 'uuid-1' } });
    await results.return();
    expect(source.most()).toBe(4);
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
    for await (const _ of reconcile(sourceOf(), uuids(), { concurrency: 1 })) break;
    expect(closed).toBe(true);
  });
});

describe('a signal', () => {
  const reason = new Error('the night is over');

  it('that fires aborts the running queries and throws an AbortedError at once', async () => {
    const source = manualSource();
    const controller = new AbortController();
    const { signal } = controller;
    const failure = thrownBy(reconcile(source, [...'abcdef'], { signal }));
    await expect.poll(() => source.open.size).toBe(4);
    controller.abort(reason);
    const thrown = await failure;
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 4, cause: reason });
    expect(thrown.message).toContain('The signal ended the reconciliation.');
    expect(source.open.size).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([
    ['a slow source is awaited', sourceOf(), { [Symbol.asyncIterator]: () => ({ next: never }) }],
    ['a client ignores it', sourceOf(never), [...'abc']],
  ] as Array<[string, ReturnType<typeof sourceOf>, Uuids]>)(
    'that fires while %s throws at once',
    async (_, source, uuids) => {
      const failure = thrownBy(reconcile(source, uuids, { signal: AbortSignal.timeout(10) }));
      expect(await Promise.race([failure, sleep(2_000, 'nothing came')])).toBeInstanceOf(AbortedError);
    },
  );

  it('that fires while a slow source is awaited prevents queries for uuids that come later', async () => {
    const gate = deferred();
    async function* uuids() {
      await gate.promise;
      yield 'a';
    }
    const source = sourceOf();
    const failure = thrownBy(reconcile(source, uuids(), { signal: AbortSignal.timeout(10) }));
    expect(await failure).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    gate.resolve();
    await sleep(10);
    expect(source.getTransaction).not.toHaveBeenCalled();
  });

  it('that has already fired prevents every query and every read of the source', async () => {
    const source = sourceOf();
    const { seen, uuids } = endless();
    const thrown = await thrownBy(reconcile(source, uuids, { signal: AbortSignal.abort(reason) }));
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent', cause: reason });
    expect(source.getTransaction).not.toHaveBeenCalled();
    expect(seen.read).toBe(0);
  });

  it('that never fires keeps no listener, and many queries cause no leak warning', async () => {
    const { signal } = new AbortController();
    const { client } = await startService();
    expect(await linesOf(reconcile(client, numbered(60), { signal, concurrency: 20 }))).toHaveLength(60);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a bug in a test double of the client', () => {
  const bug = new TypeError('a bug');

  it('is thrown, and causes no unhandled rejection', async () => {
    const source = sourceOf(() => sleep(1).then(() => Promise.reject(bug)));
    await expect(linesOf(reconcile(source, [...'abcdef']))).resolves.toEqual(['thrown: a bug']);
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
  const gate = deferred();
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
  gate.resolve();
  await expect.poll(() => source.open.size).toBe(2);
  await sleep(20);
  expect([...source.open.keys()]).toEqual(['c', 'd']);
  source.end('c');
  await next;
  await results.return();
  expect(source.most()).toBe(2);
});

it('with a concurrency of 1, the next query starts when a result is awaited', async () => {
  const source = manualSource();
  const results = reconcile(source, ['a', 'b', 'c'], { concurrency: 1 });
  for (const uuid of ['a', 'b', 'c']) {
    const next = results.next();
    await expect.poll(() => [...source.open.keys()]).toEqual([uuid]);
    source.end(uuid);
    expect(await next).toEqual({ done: false, value: { uuid, transaction: { uuid } } });
    // Time for another query to start, if it could.
    await sleep(20);
    expect([...source.open.keys()]).toEqual([]);
  }
  expect(await results.next()).toEqual({ done: true, value: undefined });
  expect(source.most()).toBe(1);
});

describe('results that are ready are handed out before an error ends the loop:', () => {
  it('the error of the source, which also ends the running queries', async () => {
    async function* uuids() {
      yield* 'abc';
      await sleep(20);
      throw new Error('the database is away');
    }
    const end = 'thrown: the database is away';
    const quick = sourceOf(() => sleep(5));
    expect(await linesOf(reconcile(quick, uuids()), 30)).toEqual(['a', 'b', 'c', end]);
    const source = manualSource();
    // What the end of the run aborted is no result.
    expect(await linesOf(reconcile(source, uuids()))).toEqual([end]);
    expect(source.open.size).toBe(0);
  });

  it('a 401', async () => {
    const source = sourceOf(async (uuid) => {
      await sleep(uuid === 'd' ? 15 : 5);
      if (uuid === 'd') throw apiError(401);
    });
    const lines = await linesOf(reconcile(source, [...'abcdefgh']), 30);
    expect(lines).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(lines).not.toContain('d');
    expect(lines.at(-1)).toBe('thrown: api_error 401');
  });

  it('an error while no result is awaited, and later results of running queries', async () => {
    const gate = deferred();
    const source = sourceOf(async (uuid) => {
      await (uuid === 'c' ? gate.promise : sleep(5));
      if (uuid === 'b') throw apiError(401);
    });
    const results = reconcile(source, [...'abc']);
    expect((await results.next()).value).toMatchObject({ uuid: 'a' });
    await sleep(15);
    // A client that ends at the signal would have ended this query: what came all the same is not lost.
    gate.resolve();
    await sleep(5);
    expect(await linesOf(results)).toEqual(['c', 'thrown: api_error 401']);
  });
});

it('a 401, which every further query would get too, aborts the running queries and closes the source', async () => {
  let open = 0;
  const server = await startHttpServer((response, { url }) => {
    open += 1;
    response.on('close', () => (open -= 1));
    if (url.endsWith('uuid-1')) response.writeHead(401).end('{}');
  });
  const { seen, uuids } = endless();
  const thrown = await thrownBy(reconcile(clientFor(server), uuids));
  expect(thrown).toBeInstanceOf(ApiError);
  expect(thrown).toMatchObject({ httpStatus: 401, outcome: 'refused' });
  expect(seen.closed).toBe(true);
  expect(server.requests.length).toBeLessThanOrEqual(4);
  await expect.poll(() => open).toBe(0);
});

describe('a service that refuses the credentials with 403', () => {
  const answering = (statuses: Readonly<Record<string, number>>) =>
    sourceOf((uuid) => {
      const status = statuses[uuid];
      if (status !== undefined) throw apiError(status);
    });

  it.each([
    ['no', { a: 403, b: 403, c: 403 }],
    ['other failures', { a: 403, b: 500, c: 403, d: 404, e: 403 }],
  ])('ends the run at the third, with %s between', async (_, statuses) => {
    const source = answering(statuses);
    const all = Object.entries(statuses).map(([uuid, status]) => `${uuid}: api_error ${status}`);
    const lines = [...all.slice(0, -1), 'thrown: api_error 403'];
    expect(await linesOf(reconcile(source, [...'abcdefgh'], { concurrency: 1 }))).toEqual(lines);
    expect(source.getTransaction).toHaveBeenCalledTimes(lines.length);
  });

  it('does not end it with a success between, because a 403 may be about one transaction', async () => {
    const source = answering({ a: 403, b: 403, d: 403, e: 403, g: 403 });
    expect(await linesOf(reconcile(source, [...'abcdefgh'], { concurrency: 1 }))).toHaveLength(8);
  });
});

describe('stopAfterFailures', () => {
  const failing = (succeeding: string) =>
    sourceOf((uuid) => {
      if (!succeeding.includes(uuid)) throw apiError(500 + uuid.charCodeAt(0));
    });
  const options = { concurrency: 1, stopAfterFailures: 3 };

  it('throws the error of the last failure in a row, after the results before it', async () => {
    const source = failing('ab');
    const lines = ['a', 'b', 'c: api_error 599', 'd: api_error 600', 'thrown: api_error 601'];
    expect(await linesOf(reconcile(source, [...'abcdefgh'], options))).toEqual(lines);
    expect(source.getTransaction).toHaveBeenCalledTimes(5);
  });

  it('starts to count again after a success, and is not set by default', async () => {
    expect(await linesOf(reconcile(failing('cfi'), [...'abcdefghi'], options))).toHaveLength(9);
    expect(await linesOf(reconcile(failing(''), numbered(100)))).toHaveLength(100);
  });
});

describe('timeoutMs', () => {
  it.each([undefined, 700])('of %s limits each query, its retries included', async (timeoutMs) => {
    const source = sourceOf();
    await linesOf(reconcile(source, ['a', 'b'], { timeoutMs }));
    const limits = { timeoutMs, totalTimeoutMs: timeoutMs, signal: expect.any(AbortSignal) };
    expect(source.getTransaction.mock.calls).toEqual([...'ab'].map((uuid) => [uuid, limits]));
  });

  it('makes an error of the one query that the service does not answer', async () => {
    const server = await startHttpServer((response, { url }) => {
      if (!url.endsWith('slow')) response.end(JSON.stringify({ uuid: url.slice(-1) }));
    });
    const lines = await linesOf(reconcile(clientFor(server), ['a', 'slow', 'b'], { timeoutMs: 500 }));
    expect(lines.sort()).toEqual(['a', 'b', 'slow: timeout']);
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
    expect(await linesOf(reconcile(sourceOf(), ['a', 'b'], { onProgress }))).toHaveLength(2);
  });
});

describe('on a clock that the test moves', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** The queries that are asked within `ms`, each with its time. */
  async function askedIn(ms: number, uuids: string, options: Options, answer?: (uuid: string) => unknown) {
    const start = performance.now();
    const asked: Array<[uuid: string, atMs: number]> = [];
    const source = sourceOf((uuid) => {
      asked.push([uuid, performance.now() - start]);
      return answer?.(uuid);
    });
    const run = linesOf(reconcile(source, [...uuids], options));
    await vi.advanceTimersByTimeAsync(ms);
    return { asked, lines: await run };
  }

  it.each([
    [4, 10, [0, 250, 500, 750, 1_000, 1_250]],
    [10, 4, [0, 100, 200, 300, 400, 500]],
    [0.5, 4, [0, 2_000, 4_000, 6_000, 8_000, 10_000]],
  ])(
    'a perSecond of %d with a concurrency of %d spaces the starts of the queries evenly, in order',
    async (perSecond, concurrency, times) => {
      const { asked } = await askedIn(20_000, 'abcdef', { perSecond, concurrency });
      expect(asked).toEqual([...'abcdef'].map((uuid, index) => [uuid, times[index]]));
    },
  );

  it('perSecond makes up for no time that a slow query lost', async () => {
    const slow = (uuid: string) => uuid === 'a' && new Promise((resolve) => setTimeout(resolve, 3_000));
    const { asked } = await askedIn(10_000, 'abc', { perSecond: 1, concurrency: 1 }, slow);
    expect(asked.map(([, atMs]) => atMs)).toEqual([0, 3_000, 4_000]);
  });

  it('a signal ends the wait for a turn at once', async () => {
    const controller = new AbortController();
    const ends = () => void setTimeout(() => controller.abort(), 100);
    const { asked, lines } = await askedIn(100, 'abc', { perSecond: 0.001, signal: controller.signal }, ends);
    expect(lines).toEqual(['a', 'thrown: aborted']);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(asked).toEqual([['a', 0]]);
  });

  it('a 429 is the error of its query, whatever wait it asks for, and the run goes on at once', async () => {
    const { asked, lines } = await askedIn(1_000, 'abc', { concurrency: 1 }, (uuid) => {
      if (uuid === 'b') throw apiError(429, { retryAfterMs: 86_400_000 });
    });
    expect(lines).toEqual(['a', 'b: api_error 429', 'c']);
    expect(asked).toEqual([...'abc'].map((uuid) => [uuid, 0]));
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Refused before any query. */
async function refusalOf(uuids: unknown, options?: object) {
  const source = sourceOf();
  const thrown = await thrownBy(reconcile(source, uuids as never, options));
  expect(source.getTransaction).not.toHaveBeenCalled();
  return `${thrown.code}: ${thrown.message}`;
}

it.each([
  ['concurrency', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4']],
  ['perSecond', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '4']],
  ['timeoutMs', [0, -1, Number.NaN, '700']],
  ['stopAfterFailures', [0, -1, 1.5, Number.NaN, '3']],
  ['onProgress: ({ done, total }) => void', [true, {}]],
])('%s is refused and named where it is one of %o, and may be undefined', async (form, wrong) => {
  const [name = '', of = ''] = form.split(': ');
  for (const value of wrong) {
    const refusal = await refusalOf([], { [name]: value });
    expect(refusal).toMatch(new RegExp(`^configuration: .*\`${name}\``));
    expect(refusal).toContain(of);
  }
  expect(await linesOf(reconcile(sourceOf(), ['a'], { [name]: undefined, signal: null }))).toEqual(['a']);
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
  expect(await refusalOf(uuids)).toMatch(/^configuration: .*`transactionUUIDs`/);
});

it('a polluted prototype adds no options', async () => {
  Object.assign(Object.prototype, { stopAfterFailures: 1, signal: AbortSignal.abort() });
  try {
    const failing = sourceOf(() => Promise.reject(apiError(500)));
    expect(await linesOf(reconcile(failing, ['a', 'b'], {}))).toEqual([
      'a: api_error 500',
      'b: api_error 500',
    ]);
  } finally {
    for (const name of ['stopAfterFailures', 'signal']) Reflect.deleteProperty(Object.prototype, name);
  }
});
