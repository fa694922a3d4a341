import type { Fetch, FetchInit } from './fetch';

/**
 * The platform's `fetch`, looked up at each request, and kept from sending by itself a second time what changes
 * something. Bun (PUT) and Deno (POST as well) do so when a connection that they had kept open is lost, though the
 * service may have acted on the request. Only a connection of its own prevents it.
 */
export const platformFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.method === 'GET' ? init : onItsOwnConnection(init));

function onItsOwnConnection(init: FetchInit): FetchInit & { keepalive: false; client?: unknown } {
  const client = denoClient();
  // For Bun, `keepalive` is the connection's. Elsewhere this is the default, and means something else.
  return { ...init, keepalive: false, ...(client === undefined ? {} : { client }) };
}

let client: unknown;

/** What Deno's `fetch` takes to keep no connection open; `undefined` on other platforms. */
function denoClient(): unknown {
  const { Deno } = globalThis as { Deno?: { createHttpClient(options: object): unknown } };
  client ??= Deno?.createHttpClient({ poolMaxIdlePerHost: 0 });
  return client;
}
