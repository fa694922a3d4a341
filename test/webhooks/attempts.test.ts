import { notificationRequest } from 'pix-automatic-sdk/testing';
import { createWebhookHandler, defineNotification, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const credentials = { apiKey: 'merchant-api-key', apiToken: 'merchant-api-token' };

interface Attempt {
  readonly instructionId: string;
  readonly status: string;
  readonly attempt: number;
}

/** What a callback sees of a charge that fails three times and is then paid, with each notification delivered twice. */
async function seenWith(state: (payload: Attempt) => string): Promise<string[]> {
  const seen: string[] = [];
  const charge = defineNotification({
    kind: 'charge',
    match: (body) => 'instructionId' in body,
    schema: z.object({ instructionId: z.string(), status: z.string(), attempt: z.number() }),
    subject: ({ instructionId }) => instructionId,
    state,
  });
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    kinds: [charge],
    onReport: () => {},
    on: { charge: ({ payload }) => void seen.push(`${payload.attempt} ${payload.status}`) },
  });
  for (const attempt of [1, 2, 3, 4]) {
    const payload = { instructionId: 'i-1', status: attempt === 4 ? 'PAID' : 'REJECTED', attempt };
    for (const _delivery of [1, 2]) {
      const answer = await handler(notificationRequest('custom', payload, credentials));
      expect(answer.status).toBe(200);
    }
  }
  return seen;
}

describe('a charge that fails three times and is then paid', () => {
  it('is seen attempt by attempt, each once, when the state holds the attempt', async () => {
    const seen = await seenWith(({ status, attempt }) => `${attempt}-${status}`);
    expect(seen).toEqual(['1 REJECTED', '2 REJECTED', '3 REJECTED', '4 PAID']);
  });

  it('loses its second and third failure when the state is only the status', async () => {
    expect(await seenWith(({ status }) => status)).toEqual(['1 REJECTED', '4 PAID']);
  });
});
