import { http } from 'msw';
import { setupServer } from 'msw/node';
import { sequentialIds, startSandbox } from 'pix-automatic-sdk/sandbox';
import { fakeClock, mockService } from 'pix-automatic-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_BODY_BYTES, type Scenario, scenarios, type Target, type Transcript } from './contract';
import { credentials, openListener, type Received } from './helpers';

/** The base URL that both name in their responses. */
const publicUrl = 'https://service.example';
const time = Date.UTC(2031, 0, 1, 2, 59, 59);
const options = () => ({ credentials, inventions: { maxBodyBytes: MAX_BODY_BYTES }, ids: sequentialIds() });

async function overHttp(): Promise<Target> {
  const { url: webhookUrl, received } = await openListener();
  const service = await startSandbox({ ...options(), publicUrl, webhookUrl, now: () => time });
  onTestFinished(() => service.close());
  return {
    service,
    received,
    listenerUrl: webhookUrl,
    call: (path, init) => fetch(service.url + path, init),
  };
}

async function overMsw(): Promise<Target> {
  const received: Received[] = [];
  const webhookUrl = 'https://merchant.example/hooks';
  const service = mockService({
    ...options(),
    http,
    webhookUrl,
    baseUrl: publicUrl,
    clock: fakeClock(time),
    async deliverTo(request) {
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      received.push({ method: request.method, url: pathname + search, headers, body: await request.text() });
      return new Response();
    },
  });
  const server = setupServer(...service.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(async () => {
    server.close();
    await service.close();
  });
  return {
    service,
    received,
    listenerUrl: webhookUrl,
    call: (path, init) => fetch(service.url + path, init),
  };
}

async function transcribe(scenario: Scenario, target: Target): Promise<Transcript> {
  const transcript: Transcript = [];
  await scenario(target, transcript);
  return transcript;
}

describe('the HTTP server and the msw handlers give the same bytes', () => {
  it.each(Object.entries(scenarios))('for the scenario "%s"', async (_name, scenario) => {
    const expected = await transcribe(scenario, await overHttp());
    expect(expected).not.toEqual([]);
    // As text, because the order of fields must also be the same.
    expect(JSON.stringify(await transcribe(scenario, await overMsw()), undefined, 1)).toBe(
      JSON.stringify(expected, undefined, 1),
    );
  });
});
