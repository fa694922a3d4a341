import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lettersOver } from '../../src/stores/letters';
import type { Claim, Store } from '../../src/stores/steps';
import { scaled } from '../helpers/scaled';
import { type TestStore, withSteps } from '../helpers/store-of';
import { letter as anyLetter, claimed, completed, tryClaim } from './claims';
import { type Fault, Faults } from './faults';
import { lease, retain } from './limits';

/** How the suite reaches one kind of store. */
export interface StoreHarness {
  /**
   * A store on the suite’s records. Like another process, it has a client of its own where stores have clients.
   * `space` is another place for records.
   */
  open(options?: { faults?: Faults; space?: 'other' }): Store<undefined>;
  /** Moves the store’s clock forward by at least this much. */
  pass(ms: number): Promise<void>;
  /** The longest body of a dead letter that the database takes, in characters. Default: 512 Ki. */
  readonly longestBody?: number;
  close(): Promise<void>;
}

/** The faults that a client over a network can have. */
export const ALL_FAULTS: readonly Fault[] = [
  'fails before it is sent',
  'hangs before it is sent',
  'loses its reply',
  'hangs before its reply',
  'gets a garbled reply',
  'is sent twice',
];

const LONG = 60_000;
const SHORT = scaled(150);
const WELL_PAST_SHORT = scaled(250);
/** Several steps fit in it, also over a slow client on a busy machine. */
const ENOUGH = scaled(1_000);
const WELL_PAST_ENOUGH = scaled(1_100);

/** How many states of a subject a store remembers beside the documented ones. */
const MOST_OTHERS = 64;

/** What every store guarantees (`TestStore`). `faults` are those that its client can have. */
export function testStoreContract(
  name: string,
  faults: readonly Fault[],
  setUp: () => Promise<StoreHarness>,
): void {
  describe(`${name}: the store contract`, () => {
    let harness: StoreHarness;
    let store: TestStore;
    let other: TestStore;

    beforeAll(async () => {
      harness = await setUp();
      store = withSteps(harness.open());
      other = withSteps(harness.open());
    });
    afterAll(() => harness?.close());

    const newLetter = () => ({ ...anyLetter, key: `payment:${randomUUID()}:PAID` });
    const newSubject = () => `reversal:${randomUUID()}`;

    it('claims a new subject with a token and a fence', async () => {
      const subject = newSubject();
      const claim = await store.claim(subject, 'PENDING', lease(LONG));
      const made = { token: expect.stringMatching(/./), fence: expect.any(Number), handledStates: [] };
      expect(claim).toEqual({ status: 'claimed', subject, state: 'PENDING', ...made });
    });

    it('gives one of 100 concurrent claims the lease, and the others busy', async () => {
      const subject = newSubject();
      // An emulated database on a busy machine needs more than the usual time for 100 at once.
      const withTime = { ...lease(LONG), withinMs: 12_000 };
      const claims = Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? store : other).claim(subject, 'PAID', withTime),
      );
      const statuses = (await Promise.all(claims)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([...Array(99).fill('busy'), 'claimed']);
    });

    it('leases a subject as a whole, and hands on its done states, oldest first', async () => {
      const subject = newSubject();
      const pending = await claimed(store, subject, 'PENDING');
      expect(await tryClaim(other, subject)).toBe('busy');
      await store.complete(pending, retain(LONG));

      const paid = await claimed(other, subject);
      expect(paid.handledStates).toEqual(['PENDING']);
      await other.complete(paid, retain(LONG));
      expect(await tryClaim(store, subject, 'CANCELLED')).toBe('claimed PENDING PAID');
    });

    it('records the late complete of an expired lease where nobody came between', async () => {
      const subject = newSubject();
      await completed(store, subject, 'PENDING');
      const late = await claimed(store, subject, 'PAID', SHORT);
      await harness.pass(WELL_PAST_SHORT);
      expect(await store.complete(late, retain(LONG))).toBe(true);
      expect(await tryClaim(other, subject)).toBe('done PENDING PAID');
    });

    it('gives an expired lease to the next claim, and refuses whatever its former owner still wants', async () => {
      const [held, done, released] = [newSubject(), newSubject(), newSubject()];
      const subjects = [held, done, released];
      const former = await Promise.all(subjects.map((subject) => claimed(store, subject, 'PAID', SHORT)));
      await harness.pass(WELL_PAST_SHORT);
      const owner = await claimed(other, held);
      expect(owner.fence).toBeGreaterThan(former[0]?.fence ?? 0);
      await completed(other, done);
      await other.release(await claimed(other, released));
      for (const late of former) {
        expect(await store.complete(late, retain(LONG))).toBe(false);
        await store.release(late);
      }
      expect(await tryClaim(store, held)).toBe('busy');
      expect(await other.complete(owner, retain(LONG))).toBe(true);
    });

    it('completes and releases a claim that it is given as a copy', async () => {
      const subject = newSubject();
      const pending = { ...(await claimed(store, subject, 'PENDING')) };
      expect(await other.complete(pending, retain(LONG))).toBe(true);
      await other.release({ ...(await claimed(store, subject)) });
      expect(await tryClaim(store, subject)).toBe('claimed PENDING');
    });

    it('frees the subject on release, with a greater fence for the next claim', async () => {
      const subject = newSubject();
      const first = await claimed(store, subject);
      await store.release(first);
      await store.release(first);
      expect(await store.complete(first, retain(LONG))).toBe(false);
      const second = await claimed(other, subject);
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(second.handledStates).toEqual([]);
    });

    it('confirms a completion again, also while another state has the lease', async () => {
      const subject = newSubject();
      const pending = await claimed(store, subject, 'PENDING');
      expect(await store.complete(pending, retain(LONG))).toBe(true);
      const paid = await claimed(other, subject);
      expect(await store.complete(pending, retain(LONG))).toBe(true);
      expect(await tryClaim(store, subject)).toBe('busy');
      expect(await other.complete(paid, retain(LONG))).toBe(true);
      expect(await tryClaim(store, subject, 'PENDING')).toBe('done PENDING PAID');
    });

    it('confirms concurrent completions of one claim, each', async () => {
      const claim = await claimed(store, newSubject());
      const completions = Array.from({ length: 10 }, () => other.complete(claim, retain(LONG)));
      const answers = await Promise.all(completions);
      expect(answers).toEqual(Array(10).fill(true));
    });

    it('grows the fence with each claim, also for many claims in a millisecond and after the record has expired', async () => {
      const subject = newSubject();
      const fences: number[] = [];
      for (let round = 0; round < 20; round += 1) {
        const claim = await claimed(store, subject, 'PAID', 1);
        fences.push(claim.fence);
        await store.release(claim);
      }
      await harness.pass(50);
      const claim = await claimed(store, subject);
      fences.push(claim.fence);
      await store.complete(claim, retain(SHORT));
      await harness.pass(WELL_PAST_SHORT);
      await store.deleteExpired();
      fences.push((await claimed(store, subject)).fence);

      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
      expect(fences[0]).toBeGreaterThan(1.6e12);
    });

    describe('through a cleanup', () => {
      it('keeps a done state beyond its lease, and beyond all that a later claim of another state is given', async () => {
        const subjects = ['left', 'released', 'completed'].map(() => newSubject());
        for (const subject of subjects) {
          const pending = await claimed(store, subject, 'PENDING', ENOUGH);
          expect(await store.complete(pending, retain(LONG))).toBe(true);
        }
        const [, released, done] = await Promise.all(
          subjects.map((subject) => claimed(store, subject, 'PAID', SHORT)),
        );
        await store.release(released as Claim);
        await store.complete(done as Claim, retain(SHORT));
        await harness.pass(WELL_PAST_ENOUGH);
        await store.deleteExpired();
        for (const subject of subjects) {
          expect(await tryClaim(other, subject, 'PENDING')).toMatch(/^done PENDING/);
        }
      });

      it('keeps a live lease, also one that was taken again after it had run out', async () => {
        const [first, again] = [newSubject(), newSubject()];
        await claimed(store, first);
        await claimed(store, again, 'PAID', SHORT);
        await harness.pass(WELL_PAST_SHORT);
        const claim = await claimed(store, again);
        await store.deleteExpired();
        expect(await tryClaim(other, first)).toBe('busy');
        expect(await tryClaim(other, again)).toBe('busy');
        expect(await store.complete(claim, retain(LONG))).toBe(true);
      });
    });

    it('tells subjects and states of 100,000 characters apart, and keeps less than 600 of each', async () => {
      const ends = ['x', 'y'];
      const subjects = ends.map((end) => `${newSubject()}${'é'.repeat(100_000)}${end}`);
      for (const subject of subjects) {
        for (const end of ends) {
          const claim = await claimed(store, subject, 'S'.repeat(100_000) + end);
          expect(claim).toMatchObject({ subject, state: 'S'.repeat(100_000) + end });
          expect(await store.complete(claim, retain(LONG))).toBe(true);
          expect(await store.complete(claim, retain(LONG))).toBe(true);
          expect((await other.claim(subject, claim.state, lease(LONG))).status).toBe('done');
        }
        const { handledStates } = await claimed(other, subject);
        expect(new Set(handledStates).size).toBe(ends.length);
        for (const state of handledStates) expect(state.length).toBeLessThan(600);
      }
    });

    it('keeps 64 states of 512 characters beside the documented ones, and forgets none for another', async () => {
      const subject = newSubject();
      const others = Array.from({ length: MOST_OTHERS }, (_, index) => String(index).padStart(512, 'é'));
      await completed(store, subject, 'PENDING');
      for (const state of others) await completed(store, subject, state);
      expect(await tryClaim(other, subject, 'MADE-UP')).toBe('full');
      await completed(other, subject, 'PAID');
      expect(await tryClaim(other, subject, 'MADE-UP')).toBe('full');
      const all = ['PENDING', ...others, 'PAID'];
      for (const state of [others[0], 'PENDING', 'PAID']) {
        expect(await tryClaim(store, subject, state)).toBe(`done ${all.join(' ')}`);
      }
      // 137 steps, one after the other.
    }, 60_000);

    it('ends all states of a subject together, after the last one', async () => {
      const subject = newSubject();
      await completed(store, subject, 'PENDING', ENOUGH);
      await completed(store, subject, 'PAID', LONG);
      await harness.pass(WELL_PAST_ENOUGH);
      await store.deleteExpired();
      expect(await tryClaim(other, subject, 'PENDING')).toBe('done PENDING PAID');
      const short = newSubject();
      for (const state of ['PENDING', 'PAID']) await completed(store, short, state, SHORT);
      await harness.pass(WELL_PAST_SHORT);
      expect(await tryClaim(other, short, 'PENDING')).toBe('claimed');
    });

    it('has the first delivery of what was settled take the place of the settlement, and no later one', async () => {
      const subject = newSubject();
      const settled = { fields: { amount: 'h1' }, isSettled: true } as const;
      const claim = await claimed(store, subject);
      await store.complete(claim, { ...retain(LONG), content: settled });
      const seen = async () => {
        const claim = await other.claim(subject, 'PAID', lease(LONG));
        return claim.status === 'done' ? claim : expect.unreachable();
      };
      const before = await seen();
      expect(before.content).toEqual(settled);
      await harness.pass(5);
      const delivered = { fields: { amount: 'h1' }, text: 'h2' };
      await other.recordDelivery(subject, 'PAID', delivered);
      const after = await seen();
      expect(after.content).toEqual(delivered);
      expect(after.at).toBeGreaterThan(before.at);
      await store.recordDelivery(subject, 'PAID', { fields: {} });
      await store.recordDelivery(subject, 'PENDING', { fields: {} });
      await store.recordDelivery(newSubject(), 'PAID', { fields: {} });
      expect(await seen()).toMatchObject({ at: after.at, content: delivered });
    });

    it('takes any text for a subject and for a state, and keeps them apart', async () => {
      const run = randomUUID();
      const texts = oddTexts.map((text) => text + run).concat(oddTexts.map((text) => run + text));
      for (const text of texts) await completed(store, text, text);
      for (const text of texts) {
        const result = await other.claim(text, text, lease(LONG));
        expect(result).toMatchObject({ status: 'done', handledStates: [expect.any(String)] });
        if (text.length <= 512 && !text.startsWith('sha256:'))
          expect(result).toMatchObject({ handledStates: [text] });
      }
    });

    it('keeps its records apart from those in another place', async () => {
      const subject = newSubject();
      const elsewhere = withSteps(harness.open({ space: 'other' }));
      await completed(store, subject);
      await claimed(elsewhere, subject);
      const letter = newLetter();
      for (const each of [store, elsewhere]) await each.keepLetter(letter, LONG);
      await store.forgetLetter(letter.key);
      expect(await store.readLetter(letter.key)).toBeUndefined();
      expect(await elsewhere.readLetter(letter.key)).toMatchObject({ attempts: 1 });
      expect((await elsewhere.listLetters({ limit: 1_000 })).map(({ key }) => key)).toContain(letter.key);
      expect((await store.listLetters({ limit: 1_000 })).map(({ key }) => key)).not.toContain(letter.key);
      await elsewhere.forgetLetter(letter.key);
    });

    it('gives with a done state when it was claimed, the time now, and the content that was recorded', async () => {
      const subject = newSubject();
      const claim = await claimed(store, subject, 'PENDING');
      const content = { fields: { amount: 'h1' } };
      expect(await store.complete(claim, { ...retain(LONG), content })).toBe(true);
      await completed(other, subject);
      const [pending, paid] = await Promise.all(
        ['PENDING', 'PAID'].map((state) => other.claim(subject, state, lease(LONG))),
      );
      if (pending?.status !== 'done' || paid?.status !== 'done') throw new Error('not done');
      expect(pending.content).toEqual(content);
      expect(paid.content).toBeUndefined();
      expect(pending.at).toBe(claim.fence);
      expect(paid.at).toBeGreaterThanOrEqual(pending.at);
      expect(pending.now).toBeGreaterThanOrEqual(paid.at);
    });

    describe('of dead letters', () => {
      it('keeps one, counts its attempts from the first on, and forgets it', async () => {
        const letter = { ...newLetter(), body: '{"nome":"Conceição 🇧🇷"}', errorName: 'TypeError' };
        expect(await store.readLetter(letter.key)).toBeUndefined();
        await store.keepLetter(letter, LONG);
        const first = await other.readLetter(letter.key);
        const [firstFailedAt, lastFailedAt] = [expect.any(Number), first?.firstFailedAt];
        expect(first).toEqual({ ...letter, attempts: 1, firstFailedAt, lastFailedAt });
        await harness.pass(5);
        await other.keepLetter({ ...letter, code: 'callback_timeout' }, LONG);
        const second = await store.readLetter(letter.key);
        const failedAgain = { code: 'callback_timeout', attempts: 2, firstFailedAt: first?.firstFailedAt };
        expect(second).toMatchObject(failedAgain);
        expect(second?.lastFailedAt).toBeGreaterThan(first?.lastFailedAt ?? 0);
        await store.forgetLetter(letter.key);
        await store.forgetLetter(letter.key);
        expect(await other.readLetter(letter.key)).toBeUndefined();
        await other.keepLetter(letter, LONG);
        expect(await store.readLetter(letter.key)).toMatchObject({ attempts: 1 });
      });

      it('keeps one for so long after its first failure, whatever fails after that', async () => {
        const letter = newLetter();
        await store.keepLetter(letter, ENOUGH);
        await harness.pass(50);
        await other.keepLetter({ ...letter, body: '{"other":1}' }, LONG);
        expect(await store.failLetter(letter.key, { code: 'not_confirmed' })).toBe('callback_failed');
        const failed = await other.readLetter(letter.key);
        expect(failed).toMatchObject({ code: 'not_confirmed', body: '{"other":1}', attempts: 3 });
        await harness.pass(scaled(960));
        expect(await store.readLetter(letter.key)).toBeUndefined();
        expect(await store.failLetter(letter.key, { code: 'not_confirmed' })).toBeUndefined();
        expect(await store.readLetter(letter.key)).toBeUndefined();
        await store.keepLetter(letter, LONG);
        expect(await store.readLetter(letter.key)).toMatchObject({ attempts: 1 });
      });

      it('changes of one that a replay has failed on only its code, its time and its attempts', async () => {
        const letter = { ...newLetter(), errorName: 'TypeError' };
        await store.keepLetter(letter, LONG);
        const first = await store.readLetter(letter.key);
        await harness.pass(5);
        expect(await other.failLetter(letter.key, { code: 'x', errorName: 'E' })).toBe('callback_failed');
        const second = await store.readLetter(letter.key);
        const changed = { code: 'x', errorName: 'E', attempts: 2, lastFailedAt: second?.lastFailedAt };
        expect(second).toEqual({ ...first, ...changed });
        expect(second?.lastFailedAt).toBeGreaterThan(first?.lastFailedAt ?? 0);
        await other.failLetter(letter.key, { code: 'y' });
        expect((await store.readLetter(letter.key))?.errorName).toBeUndefined();
      });

      it('notes once of each that something was told', async () => {
        const letter = newLetter();
        expect(await store.noteLetter(letter.key, 'drop')).toBe(false);
        await store.keepLetter(letter, LONG);
        expect(await store.noteLetter(letter.key, 'drop')).toBe(true);
        await other.failLetter(letter.key, { code: 'x' });
        expect(await other.noteLetter(letter.key, 'drop')).toBe(false);
        expect(await other.noteLetter(letter.key, 'credential')).toBe(true);
        expect(await store.noteLetter(letter.key, 'credential')).toBe(false);
        expect(await store.readLetter(letter.key)).toMatchObject({ ...letter, code: 'x', attempts: 2 });
      });

      it('is kept by the steps on single records, too, as in a transaction', async () => {
        const letter = newLetter();
        await lettersOver(store).keepLetter(letter, LONG);
        const first = await other.readLetter(letter.key);
        expect(first).toMatchObject({ ...letter, attempts: 1 });
        await other.noteLetter(letter.key, 'drop');
        await lettersOver(store).keepLetter({ ...letter, code: 'x' }, LONG);
        const second = { code: 'x', attempts: 2, firstFailedAt: first?.firstFailedAt };
        expect(await other.readLetter(letter.key)).toMatchObject(second);
      });

      it('forgets one only if it is the one that is meant', async () => {
        const letter = newLetter();
        await store.keepLetter(letter, LONG);
        await harness.pass(5);
        await store.forgetLetter(letter.key, ({ lastFailedAt }, now) => now - lastFailedAt < 5);
        expect(await store.readLetter(letter.key)).toMatchObject(letter);
        await store.forgetLetter(letter.key, ({ code }, now) => code === letter.code && now > 0);
        expect(await store.readLetter(letter.key)).toBeUndefined();
      });

      it('lists them a page at a time, each once, without those that are forgotten or have expired', async () => {
        const place = withSteps(harness.open({ space: 'other' }));
        const long = `${'é'.repeat(600)}:`;
        const keys = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? long : 'letter:') + i);
        for (const key of keys) await place.keepLetter({ ...newLetter(), key }, LONG);
        await place.keepLetter({ ...newLetter(), key: 'expired' }, SHORT);
        await place.forgetLetter(keys[4] as string);
        await store.keepLetter({ ...newLetter(), key: 'letter:elsewhere' }, LONG);
        await harness.pass(WELL_PAST_SHORT);
        for (const limit of [1, 3, 5, 100]) {
          const found: string[] = [];
          for (let pages = 0; pages < 20; pages += 1) {
            const page = await place.listLetters({ after: found.at(-1), limit });
            found.push(...page.map(({ key }) => key));
            if (page.length < limit) break;
            expect(page).toHaveLength(limit);
          }
          expect([...found].sort()).toEqual(keys.filter((_, index) => index !== 4).sort());
        }
        for (const key of keys) await place.forgetLetter(key);
        expect(await place.listLetters({ limit: 10 })).toEqual([]);
      });

      it('lists of two neighbouring prefixes the one that is asked for', async () => {
        const place = withSteps(harness.open({ space: 'other' }));
        await place.keepLetter(newLetter(), LONG);
        // In the order of the keys: `letter:`, `open:`, `order:`.
        const ids = { 'open:': `p-${randomUUID()}`, 'order:': `o-${randomUUID()}` };
        for (const [prefix, id] of Object.entries(ids) as ['open:' | 'order:', string][]) {
          const read = await place.readRecord(prefix, id);
          expect(await place.writeRecord(prefix, id, { id }, read, read.now + LONG)).toBe(true);
        }
        for (const [prefix, id] of Object.entries(ids) as ['open:' | 'order:', string][]) {
          for (const limit of [1, 100]) {
            const listed = await place.listRecords<{ readonly id: string }>(prefix, { limit });
            expect(listed.map(({ value }) => value.id)).toEqual([id]);
          }
          const { version, now } = await place.readRecord(prefix, id);
          await place.writeRecord(prefix, id, { id }, { version, now }, now);
        }
      });

      it('takes any text for a key, and the longest body', async () => {
        const run = randomUUID();
        for (const text of oddTexts) await store.keepLetter({ ...newLetter(), key: run + text }, LONG);
        for (const text of oddTexts) {
          expect(await other.readLetter(run + text)).toMatchObject({ key: run + text, attempts: 1 });
          await store.forgetLetter(run + text);
        }
        const large = { ...newLetter(), body: 'é'.repeat(harness.longestBody ?? 2 ** 19) };
        await store.keepLetter(large, LONG);
        expect((await other.readLetter(large.key))?.body).toBe(large.body);
        await store.forgetLetter(large.key);
      });
    });

    it('reads and writes other records, each at the version that was read', async () => {
      const id = randomUUID();
      const none = await store.readRecord('order:', id);
      expect(none).toMatchObject({ value: undefined, version: 0 });
      expect(await store.writeRecord('order:', id, { a: 'é' }, none, none.now + LONG)).toBe(true);
      expect(await other.writeRecord('order:', id, { a: 'late' }, none, none.now + LONG)).toBe(false);
      const first = await other.readRecord('order:', id);
      expect(first.value).toMatchObject({ a: 'é' });
      expect(await store.readRecord('open:', id)).toMatchObject({ version: 0 });
      expect(await other.writeRecord('order:', id, { a: 'next' }, first, none.now + LONG)).toBe(true);
      const second = await store.readRecord('order:', id);
      expect(second.value).toMatchObject({ a: 'next' });
      expect(second.version).toBeGreaterThan(first.version);
    });

    const notDurations = [0, -1, Number.NaN, Number.POSITIVE_INFINITY];
    it.each(notDurations)('refuses a lease or retention of %s milliseconds', async (duration) => {
      const subject = newSubject();
      await expect(store.claim(subject, 'PAID', lease(duration))).rejects.toMatchObject(wrong('leaseMs'));
      const withinMs = { leaseMs: LONG, retentionMs: LONG, withinMs: duration };
      await expect(store.claim(subject, 'PAID', withinMs)).rejects.toMatchObject(wrong('withinMs'));
      const claim = await claimed(store, subject);
      await expect(store.complete(claim, retain(duration))).rejects.toMatchObject(wrong('retentionMs'));
      expect(await store.complete(claim, retain(0.5))).toBe(true);
    });

    if (faults.length === 0) return;
    describe('a step that', () => {
      const among = (wanted: readonly Fault[]) => wanted.filter((fault) => faults.includes(fault));

      const claiming =
        (subject: string, leaseMs = LONG) =>
        (faulty: TestStore) =>
          faulty.claim(subject, 'PAID', lease(leaseMs));
      // With copies, so that the store has to read the record.
      const completing = (claim: Claim) => (faulty: TestStore) => faulty.complete({ ...claim }, retain(LONG));
      const releasing = (claim: Claim) => (faulty: TestStore) => faulty.release({ ...claim });

      /** What the step comes to: a result, an error, or hanging. */
      function meeting(fault: Fault, step: (faulty: TestStore) => Promise<unknown>, skip = 0) {
        const injected = new Faults(fault, skip);
        const result = step(withSteps(harness.open({ faults: injected })));
        return Promise.race([result.catch((error: unknown) => ({ error })), injected.hanging]);
      }

      it.each(among(['hangs before it is sent']))('%s as it reads changes nothing', async (fault) => {
        const subject = newSubject();
        expect(await meeting(fault, claiming(subject))).toBe('hanging');
        const claim = await claimed(store, subject);
        expect(await meeting(fault, completing(claim))).toBe('hanging');
        expect(await meeting(fault, releasing(claim))).toBe('hanging');
        expect(await tryClaim(store, subject)).toBe('busy');
        expect(await store.complete(claim, retain(LONG))).toBe(true);
      });

      const asItReads = among(['fails before it is sent', 'gets a garbled reply']);
      const asItWrites = among(ALL_FAULTS.filter((fault) => !fault.startsWith('hangs')));
      const passing = [
        ...asItReads.map((fault) => [fault, 'reads'] as const),
        ...asItWrites.map((fault) => [fault, 'writes'] as const),
      ];
      it.each(passing)('%s as it %s is tried again, recognized, and happens once', async (fault, when) => {
        const skip = when === 'reads' ? 0 : 1;
        const [subject, letter] = [newSubject(), newLetter()];
        const first = (await meeting(fault, claiming(subject), skip)) as Claim;
        expect(first).toMatchObject({ status: 'claimed', subject, state: 'PAID' });
        expect(await tryClaim(store, subject)).toBe('busy');
        await meeting(fault, releasing(first), skip);
        const again = await claimed(store, subject);
        expect(again.fence).toBeGreaterThan(first.fence);
        expect(await meeting(fault, completing(again), skip)).toBe(true);
        expect(await tryClaim(other, subject)).toBe('done PAID');
        expect(await store.complete(again, retain(LONG))).toBe(true);
        await meeting(fault, (faulty) => faulty.keepLetter(letter, LONG), skip);
        expect(await store.readLetter(letter.key)).toMatchObject({ ...letter, attempts: 1 });
        await meeting(fault, (faulty) => faulty.forgetLetter(letter.key), skip);
        expect(await store.readLetter(letter.key)).toBeUndefined();
      });

      it.each(among(['hangs before its reply']))(
        '%s as it writes has happened as a whole, and its lease runs out by itself',
        async (fault) => {
          const subject = newSubject();
          expect(await meeting(fault, claiming(subject, SHORT), 1)).toBe('hanging');
          expect(await store.claim(subject, 'PAID', lease(SHORT))).toEqual({ status: 'busy' });
          await harness.pass(WELL_PAST_SHORT);
          const claim = await claimed(store, subject);
          expect(await meeting(fault, completing(claim), 1)).toBe('hanging');
          expect(await tryClaim(other, subject)).toBe('done PAID');
        },
      );

      it.each(among(['hangs before it is sent']))(
        '%s and is carried out late does nothing, or holds the subject no longer than it was asked for',
        async () => {
          const subject = newSubject();
          const injected = new Faults('is sent late', 1);
          const faulty = withSteps(harness.open({ faults: injected }));
          const late = faulty
            .claim(subject, 'PAID', { leaseMs: LONG, withinMs: SHORT })
            .catch(() => undefined);
          await injected.hanging;
          await harness.pass(WELL_PAST_SHORT);
          injected.send();
          await late;
          // Past the claim's own limit, the database refuses to carry it out.
          expect(await tryClaim(other, subject)).toBe('claimed');
        },
      );
    });
  });
}

/** The error that names the wrong option. */
function wrong(option: string): object {
  return { code: 'configuration', message: expect.stringContaining(`Expected \`${option}\` to be`) };
}

/** Long, and hard to compress. */
const hashOf = (i: number) => createHash('sha512').update(String(i)).digest('hex');
const long = Array.from({ length: 100 }, (_, i) => hashOf(i)).join('');

const oddTexts = [
  ...'% %3A:%25 : :: {a} }{ {} " "quoted" \\ \\" $1 $.a[0] \0 \\u0000 \n \uD800 \uDC00 \uFFFD'.split(' '),
  ...'ção ca\u0303o 🇧🇷 sha256: A a __proto__ fence'.split(' '),
  "'; DROP TABLE x; --",
  ' ',
  long,
  'é'.repeat(499),
  `${long}y`,
];
