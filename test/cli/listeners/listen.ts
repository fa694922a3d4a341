import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A listener under test. */
export interface TestListener {
  readonly url: string;
  /** URL that answers with the count of the listener’s actions. */
  readonly effects: string;
  stop(): void;
}

/** Concurrent tests share the listeners, which end with their file. */
const stops: (() => void)[] = [];

export function onTestsEnd(stop: () => void): void {
  stops.push(stop);
}

afterAll(() => {
  for (const stop of stops) stop();
});

/** Listens on loopback until the file’s tests end. `/actions` answers with the count of the listener’s actions. */
export async function listen(listener: RequestListener, actions: () => unknown): Promise<TestListener> {
  const server = createServer((request, response) => {
    if (request.url !== '/actions') return void listener(request, response);
    response.end(JSON.stringify(actions()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  stops.push(stop);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/webhooks`, effects: `${origin}/actions`, stop };
}
