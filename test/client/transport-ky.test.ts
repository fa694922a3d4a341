import type { KyInstance, Options } from 'ky';
import type { Fetch } from 'pix-automatic-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { apiKey, clientFor, operations } from './support';

/** What a faulty ky would do to the request that it builds. */
let change: (request: Request) => Request = (request) => request;
const created = vi.fn();

vi.mock('ky', async (importOriginal) => {
  const { default: ky } = await importOriginal<{ default: KyInstance }>();
  const create = (defaults: Options) => {
    created(defaults);
    const instance = ky.create(defaults);
    return (path: string, options: Options) => {
      const { fetch } = options;
      return instance(path, {
        ...options,
        fetch: async (request, init) => fetch?.(change(request as Request), init) as never,
      });
    };
  };
  return { default: { create } };
});

afterEach(() => {
  change = (request) => request;
  vi.restoreAllMocks();
});

/** A `globalThis.fetch` that replaced the platform's. */
function replaced(): undefined {
  const platform = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => platform(url, init));
}
const own: Fetch = (url, init) => globalThis.fetch(url, init);
const transports: ReadonlyArray<readonly [string, () => Fetch | undefined]> = [
  ['the platform’s fetch', () => undefined],
  ['a fetch that replaced it', replaced],
  ['a fetch of the caller’s', () => own],
];

describe.each(operations)('$name', ({ call, answer, path, method }) => {
  it.each(transports)('sends over %s what ky built: its URL, headers and body', async (_, fetchOf) => {
    const server = await startHttpServer(reply(200, answer()));
    const client = clientFor({ url: `${server.url}/prefix` }, { fetch: fetchOf(), maxRetries: 0 });
    await call(client);
    change = (request) => new Request(`${request.url}/elsewhere`, request);
    await call(client);
    change = (request) => {
      request.headers.delete('x-api-key');
      return request;
    };
    await call(client);
    change = ({ url, method, headers }) => {
      headers.delete('content-length');
      return new Request(url, { method, headers });
    };
    await call(client);
    const [whole, moved, keyless, empty] = server.requests;
    expect(whole).toMatchObject({ method, url: `/prefix${path}`, headers: { 'x-api-key': apiKey } });
    expect(moved).toMatchObject({ method, url: `/prefix${path}/elsewhere`, body: whole?.body });
    expect(Object.keys(keyless?.headers ?? {})).not.toContain('x-api-key');
    expect(keyless).toMatchObject({ method, url: `/prefix${path}`, body: whole?.body });
    if (method !== 'GET') expect(whole?.body).not.toBe('');
    expect(empty).toMatchObject({ method, url: `/prefix${path}`, body: '' });
  });
});

it('one ky instance serves all calls of a client', async () => {
  const server = await startHttpServer(...operations.map(({ answer }) => reply(200, answer())));
  created.mockClear();
  const client = clientFor(server);
  for (const { call } of operations) await call(client);
  expect(created).toHaveBeenCalledOnce();
  expect(created.mock.calls[0]?.[0]).toMatchObject({
    prefix: server.url,
    headers: { 'x-api-key': apiKey },
    redirect: 'manual',
    throwHttpErrors: false,
  });
});
