import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { IncomingBody, TOO_LARGE } from '../../src/shared/read-body';

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

/** What arrived, and why reading ended early; `stop` ends a body that stalls. */
async function read(response: Parameters<IncomingBody['read']>[0], maxBytes = 1_000, stop?: Promise<void>) {
  const body = new IncomingBody(maxBytes);
  const end = body.read(response).then(
    () => ({}),
    (readError: unknown) => ({ readError }),
  );
  const stopped = stop?.then(() => body.stop()).then(() => ({}));
  const ended = await (stopped === undefined ? end : Promise.race([end, stopped]));
  return { text: body.text(), ...ended };
}

describe('a stream', () => {
  it.each([
    [['1234'], { text: '1234' }],
    [['12', '34'], { text: '1234' }],
    [[], { text: '' }],
    [['12345'], { text: '1234', readError: TOO_LARGE }],
    [['12', '3', '45'], { text: '1234', readError: TOO_LARGE }],
    [['\ufeff1'], { text: '1' }],
  ])('of the chunks %j is read up to 4 bytes, without a byte order mark', async (chunks, result) => {
    expect(await read(streamed(streamOf(...chunks.map(bytesOf))), 4)).toEqual(result);
  });

  it('that is too large is cancelled', async () => {
    const cancelled = vi.fn();
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(bytesOf('12345')),
      cancel: cancelled,
    });
    await read(streamed(body), 4);
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it('that fails gives the text before the failure, and the reason', async () => {
    const lost = new Error('lost');
    let pulls = 0;
    const body = new ReadableStream({
      pull: (controller) => (pulls++ === 0 ? controller.enqueue(bytesOf('12')) : controller.error(lost)),
    });
    expect(await read(streamed(body))).toEqual({ text: '12', readError: lost });
  });

  it('that fails without a reason is broken off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error() });
    expect(await read(streamed(body))).toEqual({ text: '', readError: expect.any(Symbol) });
  });

  it('of text is read like one of bytes', async () => {
    expect(await read(streamed(streamOf(bytesOf('12'), '€')))).toEqual({ text: '12€' });
  });

  it('of anything else is broken off, with a TypeError that quotes nothing of it', async () => {
    const readError = new TypeError('The body is not of bytes.');
    expect(await read(streamed(streamOf(bytesOf('12'), ['a secret'])))).toEqual({ text: '12', readError });
  });

  it('that is locked is broken off', async () => {
    const body = streamOf(bytesOf('12'));
    body.getReader();
    expect(await read(streamed(body))).toEqual({ text: '', readError: expect.any(TypeError) });
  });

  it('that stalls is cancelled by `stop`, which ends the connection', async () => {
    const cancel = vi.fn();
    await read(streamed(new ReadableStream({ cancel })), 4, sleep(5));
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('that stalls can be stopped, and a failure to cancel it is ignored', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const body = new ReadableStream({ cancel: () => Promise.reject(new Error('late')) });
    expect(await read(streamed(body), 4, sleep(5))).toEqual({ text: '' });
    await sleep(5);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a body that is not a web stream', () => {
  it.each([
    ['null', null],
    ['text', 'text'],
    ['an object', {}],
    ['an object whose `getReader` is not a function', { getReader: true }],
  ])('such as %s is read with `text`', async (_, body) => {
    expect(await read(plain(async () => '1234', body))).toEqual({ text: '1234' });
  });

  it.each([
    ['1234', 4, { text: '1234' }],
    ['€', 3, { text: '€' }],
    ['é€', 5, { text: 'é€' }],
    ['', 1, { text: '' }],
    ['12345', 4, { text: '1234', readError: TOO_LARGE }],
    ['€', 2, { text: '\ufffd', readError: TOO_LARGE }],
    ['€€€', 8, { text: '€€\ufffd', readError: TOO_LARGE }],
    ['x€', 3, { text: 'x\ufffd', readError: TOO_LARGE }],
  ])('with the text %j is read up to %d bytes', async (text, maxBytes, result) => {
    const response = plain(async () => text);
    expect(await read(response, maxBytes)).toEqual(result);
  });

  it('that fails, with a reason or without one, is broken off', async () => {
    const lost = new Error('lost');
    expect(await read(plain(() => Promise.reject(lost)))).toEqual({ text: '', readError: lost });
    expect(await read(plain(() => Promise.reject()))).toEqual({ text: '', readError: expect.any(Symbol) });
  });
});

describe('an async iterable, such as a Node stream', () => {
  async function* chunks(...given: unknown[]) {
    for (const chunk of given) {
      if (chunk instanceof Error) throw chunk;
      yield chunk;
    }
  }

  it('is read by its chunks, and never by `text`', async () => {
    expect(await read(streamed(chunks(bytesOf('12'), '3', Buffer.from('4'))))).toEqual({ text: '1234' });
    expect(await read(streamed(Readable.from([Buffer.from('12')])))).toEqual({ text: '12' });
  });

  it('that fails gives the text before the failure, and the reason', async () => {
    const lost = new Error('lost');
    expect(await read(streamed(chunks(bytesOf('12'), lost)))).toEqual({ text: '12', readError: lost });
  });

  it('that is too large is ended, and its first maxBytes are kept', async () => {
    const body = Readable.from([Buffer.from('12345'), Buffer.from('6')]);
    expect(await read(streamed(body), 4)).toEqual({ text: '1234', readError: TOO_LARGE });
    await expect.poll(() => body.destroyed).toBe(true);
  });

  it('that stalls gives what came before', async () => {
    async function* stalling() {
      yield bytesOf('12');
      await never;
    }
    const body = new IncomingBody(4);
    body.read(streamed(stalling()));
    await expect.poll(() => body.text()).toBe('12');
  });

  it('whose end cannot be asked for is ended nevertheless', async () => {
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error('lost')),
        return() {
          throw new Error('no end');
        },
      }),
    };
    expect(await read(streamed(body))).toEqual({ text: '', readError: expect.any(Error) });
  });
});
