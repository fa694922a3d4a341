import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type RedisClient, RedisStore } from '../../src/stores';
import { claim, request } from './one-claim';

/** No server gives these answers. They come from a client in a MULTI, or from one that changes replies. */
describe('RedisStore', () => {
  it("keeps its keys under 'pix-automatic:webhooks:' by default", async () => {
    const keys: string[] = [];
    const client: RedisClient = {
      defineCommand: true,
      eval: async (_script: string, _count: number, key = '') => {
        keys.push(key);
        return null;
      },
    };
    await expect(new RedisStore(client).claim('payment:1', 'PAID', 1000)).rejects.toThrow(StoreError);
    expect(new Set(keys)).toEqual(new Set(['pix-automatic:webhooks:payment:1']));
  });

  const steps: [string, (store: RedisStore) => Promise<unknown>][] = [
    ['claim', (store) => store.claim('payment:1', 'PAID', 1000)],
    ['complete', (store) => store.complete(claim, 1000)],
    ['release', (store) => store.release(claim)],
    ['park', (store) => store.park(request, 1000)],
    ['parked', (store) => store.parked()],
    ['unpark', (store) => store.unpark('payment:1:PAID')],
  ];

  describe.each(steps)('treats as an error, when it is the answer to %s,', (name, step) => {
    it.each([
      'QUEUED',
      'parked',
      'unparked',
      null,
      true,
      [],
      ['OK'],
      ['parked'],
      ['parked', null],
      ['parked', 'a'],
      ['OK', []],
      ['claimed', 'another token', '1700000000000'],
      ['completed', 'another token'],
      ['released', 'another token'],
      ['busy', 'token'],
      ['done', 'token', '', []],
      { 0: 'claimed' },
    ])('the reply %j', async (reply) => {
      // `['parked']` is the right answer to `park`, so `park` gets another step’s reply instead.
      const asked = name === 'park' && Array.isArray(reply) && reply[0] === 'parked' ? ['unparked'] : reply;
      const client: RedisClient = { defineCommand: true, eval: async () => asked };
      const error = await step(new RedisStore(client)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ message: expect.stringContaining(`a reply to ${name} that`) });
    });
  });

  it.each([
    ['complete', 'released'],
    ['release', 'completed'],
    ['release', 'lost'],
  ])(
    'treats another step’s reply as an error, even with the token of the claim: %s, %s',
    async (name, status) => {
      const client: RedisClient = { defineCommand: true, eval: async () => [status, claim.token] };
      const step = steps.find(([each]) => each === name)?.[1];
      await expect(step?.(new RedisStore(client))).rejects.toBeInstanceOf(StoreError);
    },
  );

  it.each([
    ['abc', []],
    ['0', []],
    ['', []],
    [1_700_000_000_000, []],
    ['1700000000000', [1]],
    ['1700000000000', 'PAID'],
    ['1700000000000', undefined],
  ])('treats a claim with the fence %j and the states %j as an error', async (fence, states) => {
    const client: RedisClient = {
      defineCommand: true,
      eval: async (_script, _count, _key, token) => ['claimed', token, fence, states],
    };
    await expect(new RedisStore(client).claim('payment:1', 'PAID', 1000)).rejects.toThrow(StoreError);
  });

  it('rejects with the claim’s error even when its release fails as well', async () => {
    const reasons = ['first', 'second'].map((text) => new Error(text));
    const asked: string[][] = [];
    const client: RedisClient = {
      defineCommand: true,
      eval: async (_script: string, _count: number, ...values: string[]) => {
        asked.push(values);
        throw reasons[asked.length - 1];
      },
    };
    await expect(new RedisStore(client).claim('payment:1', 'PAID', 1000)).rejects.toBe(reasons[0]);
    // If the failed release were unhandled, it would end the process and fail this test run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(asked.map(([key, token]) => [key, token])).toEqual(Array(2).fill(asked[0]?.slice(0, 2)));
  });
});

describe('RedisStore is refused', () => {
  const client: RedisClient = { defineCommand: true, eval: async () => null };

  it.each(['', 'a:b', 'a b', '{a}'])('with the namespace %j', (namespace) => {
    expect(() => new RedisStore(client, { namespace })).toThrow(ConfigurationError);
  });

  it.each([undefined, null, {}, 'redis://localhost'])('with %j for a client', (wrong) => {
    // @ts-expect-error: not a client
    expect(() => new RedisStore(wrong)).toThrow(ConfigurationError);
  });
});
