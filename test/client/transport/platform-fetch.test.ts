import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

/** Replaces the platform's `fetch` and the given globals, such as `setImmediate`, and then loads the module. */
async function load(globals: Record<string, unknown> = {}) {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response('{}'));
  vi.stubGlobal('fetch', fetch);
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const { platformFetch } = await import('../../../src/client/transport/platform-fetch');
  return { fetch, platformFetch };
}

const signal = new AbortController().signal;
const init = { method: 'POST', headers: { 'x-a': '1' }, redirect: 'manual', signal } as const;

describe.each([
  ['with setImmediate', {}],
  ['without setImmediate', { setImmediate: undefined }],
])('on a platform %s', (_, globals) => {
  it('a request body is sent as a stream, which cannot be sent twice, with its length in bytes', async () => {
    const { fetch, platformFetch } = await load(globals);
    await platformFetch('https://service.example/', { ...init, body: '{"a":"é"}' });
    expect(fetch).toHaveBeenCalledOnce();
    const [url, sent] = fetch.mock.calls[0] ?? [];
    expect(url).toBe('https://service.example/');
    expect(sent).toEqual({
      ...init,
      headers: { 'x-a': '1', 'content-length': '10' },
      body: expect.any(ReadableStream),
      duplex: 'half',
    });
    expect(await new Response(sent?.body ?? null).text()).toBe('{"a":"é"}');
  });

  it('a request without a body is passed on unchanged, in the same turn of the event loop', async () => {
    const { fetch, platformFetch } = await load(globals);
    void platformFetch('https://service.example/', init);
    expect(fetch).toHaveBeenCalledExactlyOnceWith('https://service.example/', init);
  });
});

it('a request with a body waits for two turns of the event loop', async () => {
  const turns: Array<() => void> = [];
  const { fetch, platformFetch } = await load({ setImmediate: (next: () => void) => turns.push(next) });
  const sent = platformFetch('https://service.example/', { ...init, body: '{}' });
  for (const waited of [0, 1]) {
    await Promise.resolve();
    expect([waited, turns.length, fetch.mock.calls.length]).toEqual([waited, 1, 0]);
    turns.shift()?.();
  }
  await sent;
  expect(turns).toEqual([]);
  expect(fetch).toHaveBeenCalledOnce();
});
