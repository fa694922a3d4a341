import { expect, it } from 'vitest';
import { clientFor, failureOf, operations } from '../support';

it.each(operations)('$name is aborted when the signal fires just as the response comes', async ({ call }) => {
  const controller = new AbortController();
  const fetch = async () => {
    // Its first pull comes between the end of `fetch` and the first look at the response.
    const body = new ReadableStream<Uint8Array>({ pull: () => controller.abort() });
    return new Response(body);
  };
  const client = clientFor({ url: 'https://service.example' }, { fetch });
  const thrown = await failureOf(call(client, { signal: controller.signal }));
  expect(thrown).toMatchObject({ code: 'aborted', outcome: 'unknown' });
});
