import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import type { DeadLetters, NewDeadLetter } from '../../src/stores';

export const entryOf = (key: string, more: Partial<NewDeadLetter> = {}): NewDeadLetter => ({
  key,
  subject: `payment:${key}`,
  state: 'PAID',
  kind: 'payment',
  body: '{"saleToken":"é 💸 \\u0000"}',
  url: '/hooks?refund=true',
  code: 'callback_failed',
  errorName: 'TypeError',
  ...more,
});

/** What every implementation guarantees. `open` gives one that is empty; entries are kept `retentionMs`. */
export function testDeadLettersContract(
  name: string,
  open: (options: { readonly retentionMs?: number }) => Promise<DeadLetters>,
): void {
  describe(`${name}, dead letters:`, () => {
    const keysOf = async (deadLetters: DeadLetters) => (await deadLetters.list()).map(({ key }) => key);

    it('gives back what it was given, with the times and the attempts', async () => {
      const deadLetters = await open({});
      await deadLetters.keep(entryOf('a'));
      const [first] = await deadLetters.list();
      expect(first).toEqual({
        ...entryOf('a'),
        firstFailedAt: expect.any(Number),
        lastFailedAt: first?.firstFailedAt,
        attempts: 1,
      });
      expect(Math.abs((first?.firstFailedAt ?? 0) - Date.now())).toBeLessThan(60_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await deadLetters.keep(entryOf('a', { code: 'unhandled', kind: 'own', errorName: undefined }));
      const [second, ...more] = await deadLetters.list();
      expect(more).toEqual([]);
      expect(second).toMatchObject({ code: 'unhandled', kind: 'own', attempts: 2 });
      expect(second?.errorName).toBeUndefined();
      expect(second?.firstFailedAt).toBe(first?.firstFailedAt);
      expect(second?.lastFailedAt).toBeGreaterThan(first?.lastFailedAt ?? 0);
    });

    it('keeps keys apart that differ in case, accents or length', async () => {
      const deadLetters = await open({});
      const keys = ['a', 'A', 'á', 'a ', 'x'.repeat(3_000), `${'x'.repeat(2_999)}y`, 'sha256:a'];
      for (const key of keys) await deadLetters.keep(entryOf(key));
      expect((await keysOf(deadLetters)).sort()).toEqual(keys.sort());
    });

    it('lists the least recently failed first, by time, kind and limit', async () => {
      const deadLetters = await open({});
      for (const key of ['a', 'b', 'c', 'a']) {
        await deadLetters.keep(entryOf(key, { kind: key === 'b' ? 'refund' : 'payment' }));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(await keysOf(deadLetters)).toEqual(['b', 'c', 'a']);
      const [, c] = await deadLetters.list();
      const since = c?.lastFailedAt ?? 0;
      for (const asked of [since, new Date(since)]) {
        expect((await deadLetters.list({ since: asked })).map(({ key }) => key)).toEqual(['c', 'a']);
      }
      expect((await deadLetters.list({ kind: 'refund' })).map(({ key }) => key)).toEqual(['b']);
      expect((await deadLetters.list({ kind: 'payment', limit: 1 })).map(({ key }) => key)).toEqual(['c']);
    });

    it.each([
      ['a limit of 0', { limit: 0 }],
      ['an invalid date', { since: new Date('yesterday') }],
      ['a time as text', { since: '2026' }],
    ])('refuses to list %s', async (_, query) => {
      const deadLetters = await open({});
      await expect(deadLetters.list(query as never)).rejects.toBeInstanceOf(ConfigurationError);
    });

    it('forgets one, and nothing where there is none', async () => {
      const deadLetters = await open({});
      await deadLetters.keep(entryOf('a'));
      await deadLetters.keep(entryOf('b'));
      await deadLetters.forget('a');
      await deadLetters.forget('a');
      expect(await keysOf(deadLetters)).toEqual(['b']);
    });

    it('neither lists nor counts on what has expired, and deletes all of it', async () => {
      const deadLetters = await open({ retentionMs: 300 });
      for (let n = 0; n < 1_100; n += 1) await deadLetters.keep(entryOf(`old-${n}`));
      await new Promise((resolve) => setTimeout(resolve, 350));
      expect(await keysOf(deadLetters)).toEqual([]);
      await deadLetters.keep(entryOf('old-1'));
      expect(await deadLetters.list()).toMatchObject([{ key: 'old-1', attempts: 1 }]);
      await deadLetters.deleteExpired();
      expect(await deadLetters.deleteExpired()).toBe(0);
    });
  });
}
