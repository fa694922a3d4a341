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

describe.each([401, 403])('a %d, which every further query would get too,', (status) => {
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
