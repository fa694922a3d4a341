import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { IncomingBody, TOO_LARGE } from '../../src/shared/read-body';

type Controller = ReadableStreamDefaultController<unknown>;
const never = new Promise<never>(() => undefined);
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

function streamOf(...chunks: unknown[]) {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** A response with a stream, whose `text` must not be called. */
function streamed(body: unknown) {
  return { body, text: () => Promise.reject(new Error('text was called')) };
}

/** A response of a `fetch` whose bodies are not web streams. */
function plain(text: () => Promise<string>, body: unknown = null) {
  return { body, text };
}

/** What arrived, and why reading ended early: `12, then lost`. `stop` ends a body that stalls. */
async function read(response: Parameters<IncomingBody['read']>[0], maxBytes = 1_000, stop?: Promise<void>) {
  const body = new IncomingBody(maxBytes);
  const stopped = stop?.then(() => body.stop());
  const end = Promise.race([body.read(response), stopped ?? never]).then(
    () => '',
    (thrown: unknown) => `, then ${thrown === TOO_LARGE ? 'too large' : nameOf(thrown)}`,
  );
  return end.then((reason) => body.text() + reason);
}

const nameOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : typeof thrown);
const lost = new Error('lost');
const notBytes = '12, then The body is not of bytes.';
const fails = { start: (controller: Controller) => controller.error() };
async function* chunks(...given: unknown[]) {
  for (const chunk of given) {
    if (chunk instanceof Error) throw chunk;
    yield chunk;
  }
}

/** Gives the first chunk, and then fails. */
function failing(first: string) {
  let pulls = 0;
  return new ReadableStream({
    pull: (controller) => (pulls++ === 0 ? controller.enqueue(bytesOf(first)) : controller.error(lost)),
  });
}

/** Fails, and its end cannot be asked for. */
const endless = {
  next: () => Promise.reject(lost),
  return() {
    throw new Error('no end');
  },
};

it.each([
  [['1234'], '1234'],
  [['12', '34'], '1234'],
  [[], ''],
  [['12345'], '1234, then too large'],
  [['12', '3', '45'], '1234, then too large'],
  [['\ufeff1'], '1'],
])('a stream of the chunks %j is read up to 4 bytes, without a byte order mark: %s', async (chunks, seen) => {
  expect(await read(streamed(streamOf(...chunks.map(bytesOf))), 4)).toBe(seen);
});

it.each([
  ['a stream that fails, with the text before the failure', streamed(failing('12')), '12, then lost'],
  ['a stream that fails without a reason', streamed(new ReadableStream(fails)), ', then symbol'],
  ['a stream of text like one of bytes', streamed(streamOf(bytesOf('12'), '€')), '12€'],
  [
    'a stream of anything else, which is not quoted',
    streamed(streamOf(bytesOf('12'), ['a secret'])),
    notBytes,
  ],
  ['a text that fails', plain(() => Promise.reject(lost)), ', then lost'],
  ['a text that fails without a reason', plain(() => Promise.reject()), ', then symbol'],
  ['an iterable of chunks, and never `text`', streamed(chunks(bytesOf('12'), '3', Buffer.from('4'))), '1234'],
  ['a Node stream', streamed(Readable.from([Buffer.from('12')])), '12'],
  ['an iterable that fails', streamed(chunks(bytesOf('12'), lost)), '12, then lost'],
  [
    'an iterable whose end cannot be asked for',
    streamed({ [Symbol.asyncIterator]: () => endless }),
    ', then lost',
  ],
])('reads %s', async (_, response, seen) => expect(await read(response)).toBe(seen));

it('a locked stream is broken off', async () => {
  const body = streamOf(bytesOf('12'));
  body.getReader();
  await expect(new IncomingBody(9).read(streamed(body))).rejects.toBeInstanceOf(TypeError);
});

it.each([
  ['null', null],
  ['text', 'text'],
  ['an object', {}],
  ['an object whose `getReader` is not a function', { getReader: true }],
])('a body that is %s is read with `text`', async (_, body) => {
  expect(await read(plain(async () => '1234', body))).toBe('1234');
});

it.each([
  ['1234', 4, '1234'],
  ['€', 3, '€'],
  ['é€', 5, 'é€'],
  ['', 1, ''],
  ['12345', 4, '1234, then too large'],
  ['€', 2, '\ufffd, then too large'],
  ['€€€', 8, '€€\ufffd, then too large'],
  ['x€', 3, 'x\ufffd, then too large'],
])('the text %j is read up to %d bytes: %s', async (text, maxBytes, seen) => {
  expect(
    await read(
      plain(async () => text),
      maxBytes,
    ),
  ).toBe(seen);
});

describe('the connection of a body is ended', () => {
  const tooLong = { pull: (controller: Controller) => controller.enqueue(bytesOf('12345')) };
  it.each([
    ['when it is too large', tooLong, undefined],
    ['by `stop`, when it stalls', {}, sleep(5)],
  ])('%s', async (_, source, stop) => {
    const cancel = vi.fn();
    await read(streamed(new ReadableStream({ ...source, cancel })), 4, stop);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('although it cannot be cancelled, which is ignored', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const body = new ReadableStream({ cancel: () => Promise.reject(new Error('late')) });
    expect(await read(streamed(body), 4, sleep(5))).toBe('');
    await sleep(5);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('of an iterable too, and its first maxBytes are kept', async () => {
    const body = Readable.from([Buffer.from('12345'), Buffer.from('6')]);
    expect(await read(streamed(body), 4)).toBe('1234, then too large');
    await expect.poll(() => body.destroyed).toBe(true);
  });
});

it('an iterable that stalls gives what came before', async () => {
  async function* stalling() {
    yield bytesOf('12');
    await never;
  }
  const body = new IncomingBody(4);
  body.read(streamed(stalling()));
  await expect.poll(() => body.text()).toBe('12');
});
