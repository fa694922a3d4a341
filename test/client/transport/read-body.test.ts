import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { readBody, TOO_LARGE } from '../../../src/shared/read-body';

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
function streamed(body: unknown, contentType: string | null = null) {
  return {
    headers: { get: (name: string) => (name === 'content-type' ? contentType : null) },
    body,
    text: () => Promise.reject(new Error('text was called')),
  };
}

/** A response of a `fetch` whose bodies are not web streams. */
function plain(text: () => Promise<string>, body: unknown = null) {
  return { headers: { get: () => null }, body, text };
}

const read = (response: Parameters<typeof readBody>[0], maxBytes = 1_000, interrupted = never) =>
  readBody(response, maxBytes, interrupted);

describe('a stream', () => {
  it('of exactly maxBytes is whole, in any number of chunks', async () => {
    expect(await read(streamed(streamOf(bytesOf('1234'))), 4)).toEqual({ text: '1234' });
    expect(await read(streamed(streamOf(bytesOf('12'), bytesOf('34'))), 4)).toEqual({ text: '1234' });
    expect(await read(streamed(streamOf()), 4)).toEqual({ text: '' });
  });

  it('of one byte more than maxBytes is too large, and its first maxBytes are kept', async () => {
    expect(await read(streamed(streamOf(bytesOf('12345'))), 4)).toEqual({
      text: '1234',
      brokenOff: TOO_LARGE,
    });
    expect(await read(streamed(streamOf(bytesOf('12'), bytesOf('3'), bytesOf('45'))), 4)).toEqual({
      text: '1234',
      brokenOff: TOO_LARGE,
    });
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
    expect(await read(streamed(body))).toEqual({ text: '12', brokenOff: lost });
  });

  it('that fails without a reason is broken off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error() });
    expect((await read(streamed(body))).brokenOff).toEqual(expect.any(Symbol));
  });

  it('of text instead of bytes is broken off, with a TypeError that quotes nothing of it', async () => {
    const { text, brokenOff } = await read(streamed(streamOf(bytesOf('12'), 'a secret')));
    expect(text).toBe('12');
    expect(brokenOff).toBeInstanceOf(TypeError);
    expect(String(brokenOff)).toBe('TypeError: The body is not of bytes.');
  });

  it('that stalls ends with the interruption, and a failure to cancel it is ignored', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const over = Symbol('over');
    const body = new ReadableStream({ cancel: () => Promise.reject(new Error('late')) });
    const interrupted = sleep(5).then(() => Promise.reject(over));
    expect(await read(streamed(body), 4, interrupted)).toEqual({ text: '', brokenOff: over });
    await sleep(5);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  const latin1 = () => streamOf(new Uint8Array([0xe9]));
  it.each([
    'text/plain;charset=ISO-8859-1',
    'text/plain; charset=iso-8859-1',
    'text/plain ;  CHARSET  =  "latin1"',
    'text/plain; charset=latin1; x=y',
    'text/plain; charset=latin1;x=y',
    'text/plain; charset=latin1 ; x=y',
    'text/plain; x=y; charset="latin1"; z=1',
  ])('is read in the charset that %j names', async (contentType) => {
    expect(await read(streamed(latin1(), contentType))).toEqual({ text: 'é' });
  });

  it.each([
    null,
    '',
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=UTF8',
    'application/json; charset=no-such-charset',
    'application/json; charset=',
    'application/json; xcharset=latin1',
    'application/json charset=latin1',
  ])('is read as UTF-8 when its content type is %j', async (contentType) => {
    expect(await read(streamed(streamOf(bytesOf('é')), contentType))).toEqual({ text: 'é' });
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
    ['1234', 4],
    ['€', 3],
    ['é€', 5],
    ['', 1],
  ])('with the text %j is whole within %d bytes', async (text, maxBytes) => {
    expect(
      await read(
        plain(async () => text),
        maxBytes,
      ),
    ).toEqual({ text });
  });

  it.each([
    ['12345', 4, '1234'],
    ['€', 2, '€'],
    ['€€€', 8, '€€€'],
    ['x€', 3, 'x€'],
  ])(
    'with the text %j is too large for %d bytes, and its first characters are kept',
    async (text, maxBytes, kept) => {
      expect(
        await read(
          plain(async () => text),
          maxBytes,
        ),
      ).toEqual({ text: kept, brokenOff: TOO_LARGE });
    },
  );

  it('that fails, with a reason or without one, is broken off', async () => {
    const lost = new Error('lost');
    expect(await read(plain(() => Promise.reject(lost)))).toEqual({ text: '', brokenOff: lost });
    expect(await read(plain(() => Promise.reject()))).toEqual({ text: '', brokenOff: expect.any(Symbol) });
  });

  it('that hangs ends with the interruption', async () => {
    const over = Symbol('over');
    expect(
      await read(
        plain(() => never),
        4,
        Promise.reject(over),
      ),
    ).toEqual({ text: '', brokenOff: over });
  });
});
