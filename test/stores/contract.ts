import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim, IdempotencyStore } from '../../src/stores/idempotency-store';
import type { Fault } from './faults';
import { Faults } from './faults';
import { lease, retain } from './limits';

/** How the suite reaches one kind of store. */
export interface StoreHarness {
  /**
   * A store on the suite’s records. Like another process, it has a client of its own where stores have clients.
   * `space` is another place for records.
   */
  open(options?: { faults?: Faults; space?: 'other' }): IdempotencyStore;
  /** Moves the store’s clock forward by at least this much. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const NOT_SENT: readonly Fault[] = ['fails before it is sent', 'hangs before it is sent'];
const NOT_ANSWERED: readonly Fault[] = ['loses its reply', 'hangs before its reply', 'gets a garbled reply'];

/** The faults that a client over a network can have. */
export const ALL_FAULTS: readonly Fault[] = [...NOT_SENT, ...NOT_ANSWERED, 'is sent twice'];

const LONG = 60_000;
const SHORT = 150;
const WELL_PAST_SHORT = 250;

/** How many states of a subject a store remembers. */
const MOST_STATES = 64;

/** What every store guarantees (`IdempotencyStore`). `faults` are those that its client can have. */
export function testStoreContract(
  name: string,
  faults: readonly Fault[],
  setUp: () => Promise<StoreHarness>,
): void {
  describe(`${name}: the store contract`, () => {
    let harness: StoreHarness;
    let store: IdempotencyStore;
    let other: IdempotencyStore;

    beforeAll(async () => {
      harness = await setUp();
      store = harness.open();
      other = harness.open();
    });
    afterAll(() => harness?.close());

    const newSubject = () => `reversal:${randomUUID()}`;

    async function claimed(
      from: IdempotencyStore,
      subject: string,
      state: string,
      leaseMs = LONG,
    ): Promise<Claim> {
      const result = await from.claim(subject, state, lease(leaseMs));
      if (result.status !== 'claimed') throw new Error(`expected a claim, got ${result.status}`);
      return result;
    }

    async function completed(
      from: IdempotencyStore,
      subject: string,
      state: string,
      retentionMs = LONG,
    ): Promise<void> {
      expect(await from.complete(await claimed(from, subject, state), retain(retentionMs))).toBe(true);
    }

    /** Drops what has expired, like the hourly cleanup that the documentation recommends. */
    async function cleanUp(): Promise<void> {
      if ('deleteExpired' in store && typeof store.deleteExpired === 'function') await store.deleteExpired();
    }

    it('claims a new subject with a token and a fence', async () => {
      const subject = newSubject();
      const result = await store.claim(subject, 'PENDING', lease(LONG));
      expect(result).toEqual({
        status: 'claimed',
        subject,
        state: 'PENDING',
        token: expect.stringMatching(/./),
        fence: expect.any(Number),
        handledStates: [],
      });
    });

    it('gives one of 100 concurrent claims the lease, and the others busy', async () => {
      const subject = newSubject();
      // An emulated database on a busy machine needs more than the usual time for 100 at once.
      const withTime = { ...lease(LONG), withinMs: 12_000 };
      const claims = Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? store : other).claim(subject, 'PAID', withTime),
      );
      const statuses = (await Promise.all(claims)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 'claimed')).toHaveLength(1);
      expect(statuses.filter((status) => status === 'busy')).toHaveLength(99);
    });

    it('leases a subject as a whole, and hands on its done states, oldest first', async () => {
      const subject = newSubject();
      const pending = await claimed(store, subject, 'PENDING');
      expect(await other.claim(subject, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
      await store.complete(pending, retain(LONG));

      const paid = await claimed(other, subject, 'PAID');
      expect(paid.handledStates).toEqual(['PENDING']);
      await other.complete(paid, retain(LONG));
      expect((await claimed(store, subject, 'CANCELLED')).handledStates).toEqual(['PENDING', 'PAID']);
    });

    it('records the late complete of an expired lease where nobody came between', async () => {
      const subject = newSubject();
      await completed(store, subject, 'PENDING');
      const late = await claimed(store, subject, 'PAID', SHORT);
      await harness.pass(WELL_PAST_SHORT);
      expect(await store.complete(late, retain(LONG))).toBe(true);
      expect(await other.claim(subject, 'PAID', lease(LONG))).toEqual({
        status: 'done',
        handledStates: ['PENDING', 'PAID'],
      });
    });

    it('gives an expired lease to the next claim, and refuses whatever its former owner still wants', async () => {
      const [held, done, released] = [newSubject(), newSubject(), newSubject()];
      const subjects = [held, done, released];
      const former = await Promise.all(subjects.map((subject) => claimed(store, subject, 'PAID', SHORT)));
      await harness.pass(WELL_PAST_SHORT);
      const owner = await claimed(other, held, 'PAID');
      expect(owner.fence).toBeGreaterThan(former[0]?.fence ?? 0);
      await completed(other, done, 'PAID');
      await other.release(await claimed(other, released, 'PAID'));
      for (const late of former) {
        expect(await store.complete(late, retain(LONG))).toBe(false);
        await store.release(late);
      }
      expect(await store.claim(held, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
      expect(await other.complete(owner, retain(LONG))).toBe(true);
    });

    it('completes and releases a claim that it is given as a copy', async () => {
      const subject = newSubject();
      expect(await other.complete({ ...(await claimed(store, subject, 'PENDING')) }, retain(LONG))).toBe(
        true,
      );
      await other.release({ ...(await claimed(store, subject, 'PAID')) });
      expect((await claimed(store, subject, 'PAID')).handledStates).toEqual(['PENDING']);
    });

    it('frees the subject on release, with a greater fence for the next claim', async () => {
      const subject = newSubject();
      const first = await claimed(store, subject, 'PAID');
      await store.release(first);
      await store.release(first);
      expect(await store.complete(first, retain(LONG))).toBe(false);
      const second = await claimed(other, subject, 'PAID');
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(second.handledStates).toEqual([]);
    });

    it('confirms a completion again, also while another state has the lease', async () => {
      const subject = newSubject();
      const pending = await claimed(store, subject, 'PENDING');
      expect(await store.complete(pending, retain(LONG))).toBe(true);
      const paid = await claimed(other, subject, 'PAID');
      expect(await store.complete(pending, retain(LONG))).toBe(true);
      expect(await store.claim(subject, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
      expect(await other.complete(paid, retain(LONG))).toBe(true);
      expect(await store.claim(subject, 'PENDING', lease(LONG))).toMatchObject({
        handledStates: ['PENDING', 'PAID'],
      });
    });

    it('confirms concurrent completions of one claim, each', async () => {
      const claim = await claimed(store, newSubject(), 'PAID');
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => other.complete(claim, retain(LONG))),
      );
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
      const claim = await claimed(store, subject, 'PAID');
      fences.push(claim.fence);
      await store.complete(claim, retain(SHORT));
      await harness.pass(WELL_PAST_SHORT);
      await cleanUp();
      fences.push((await claimed(store, subject, 'PAID')).fence);

      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
      expect(fences[0]).toBeGreaterThan(1.6e12);
    });

    describe('through a cleanup', () => {
      it('keeps a done state beyond its lease, and beyond all that a later claim of another state is given', async () => {
        const subjects = ['left', 'released', 'completed'].map(() => newSubject());
        for (const subject of subjects) {
          expect(await store.complete(await claimed(store, subject, 'PENDING', SHORT), retain(LONG))).toBe(
            true,
          );
        }
        const [, released, done] = await Promise.all(
          subjects.map((subject) => claimed(store, subject, 'PAID', SHORT)),
        );
        await store.release(released as Claim);
        await store.complete(done as Claim, retain(SHORT));
        await harness.pass(WELL_PAST_SHORT);
        await cleanUp();
        for (const subject of subjects) {
          expect(await other.claim(subject, 'PENDING', lease(LONG))).toEqual({
            status: 'done',
            handledStates: ['PENDING'],
          });
        }
      });

      it('keeps a live lease, also one that was taken again after it had run out', async () => {
        const [first, again] = [newSubject(), newSubject()];
        await claimed(store, first, 'PAID');
        await claimed(store, again, 'PAID', SHORT);
        await harness.pass(WELL_PAST_SHORT);
        const claim = await claimed(store, again, 'PAID');
        await cleanUp();
        expect(await other.claim(first, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
        expect(await other.claim(again, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
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
        const { handledStates } = await claimed(other, subject, 'PAID');
        expect(new Set(handledStates).size).toBe(ends.length);
        for (const state of handledStates) expect(state.length).toBeLessThan(600);
      }
    });

    it('keeps 64 states of 512 characters, however many bytes they have, and forgets the oldest', async () => {
      const subject = newSubject();
      const states = Array.from({ length: MOST_STATES + 1 }, (_, index) => String(index).padStart(512, 'é'));
      for (const state of states) await completed(store, subject, state);
      const newest = { status: 'done', handledStates: states.slice(1) };
      expect(await other.claim(subject, states[1] ?? '', lease(LONG))).toEqual(newest);
      expect((await other.claim(subject, states[0] ?? '', lease(LONG))).status).toBe('claimed');
    });

    it('takes any text for a subject and for a state, and keeps them apart', async () => {
      const run = randomUUID();
      const texts = oddTexts.map((text) => text + run).concat(oddTexts.map((text) => run + text));
      for (const text of texts) {
        expect(await store.complete(await claimed(store, text, text), retain(LONG))).toBe(true);
      }
      for (const text of texts) {
        const result = await other.claim(text, text, lease(LONG));
        expect(result).toEqual({ status: 'done', handledStates: [expect.any(String)] });
        if (text.length <= 512 && !text.startsWith('sha256:')) {
          expect(result).toEqual({ status: 'done', handledStates: [text] });
        }
      }
    });

    it('keeps its records apart from those in another place', async () => {
      const subject = newSubject();
      const elsewhere = harness.open({ space: 'other' });
      await store.complete(await claimed(store, subject, 'PAID'), retain(LONG));
      await claimed(elsewhere, subject, 'PAID');
    });

    it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
      'refuses a lease or retention of %s milliseconds',
      async (duration) => {
        const subject = newSubject();
        await expect(store.claim(subject, 'PAID', lease(duration))).rejects.toMatchObject(wrong('leaseMs'));
        const withinMs = { leaseMs: LONG, retentionMs: LONG, withinMs: duration };
        await expect(store.claim(subject, 'PAID', withinMs)).rejects.toMatchObject(wrong('withinMs'));
        const claim = await claimed(store, subject, 'PAID');
        await expect(store.complete(claim, retain(duration))).rejects.toMatchObject(wrong('retentionMs'));
        expect(await store.complete(claim, retain(0.5))).toBe(true);
      },
    );

    if (faults.length === 0) return;
    describe('a step that', () => {
      const among = (wanted: readonly Fault[]) => wanted.filter((fault) => faults.includes(fault));
      const failed = { error: expect.any(Error) };

      /** What the step comes to: a result, an error, or hanging. */
      function meeting(
        fault: Fault,
        run: (faulty: IdempotencyStore) => Promise<unknown>,
        skip = 0,
      ): Promise<unknown> {
        const injected = new Faults();
        injected.next = fault;
        injected.skip = skip;
        const step = run(harness.open({ faults: injected })).catch((error: unknown) => ({ error }));
        return Promise.race([step, injected.hanging]);
      }

      it.each(among([...NOT_SENT, 'gets a garbled reply']))(
        '%s as it reads changes nothing',
        async (fault) => {
          const result = fault.startsWith('hangs') ? 'hanging' : failed;
          const subject = newSubject();
          const claiming = meeting(fault, (faulty) => faulty.claim(subject, 'PAID', lease(LONG)));
          expect(await claiming).toEqual(result);
          const claim = await claimed(store, subject, 'PAID');
          // A copy, so that the store has to read the record.
          expect(await meeting(fault, (faulty) => faulty.complete({ ...claim }, retain(LONG)))).toEqual(
            result,
          );
          expect(await meeting(fault, (faulty) => faulty.release({ ...claim }))).toEqual(result);
          expect(await store.claim(subject, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
          expect(await store.complete(claim, retain(LONG))).toBe(true);
        },
      );

      it.each(among(['fails before it is sent']))(
        '%s as it writes says so, and changes nothing',
        async (fault) => {
          const subject = newSubject();
          const claiming = meeting(fault, (faulty) => faulty.claim(subject, 'PAID', lease(LONG)), 1);
          expect(await claiming).toEqual(failed);
          const claim = await claimed(store, subject, 'PAID');
          const completing = meeting(fault, (faulty) => faulty.complete({ ...claim }, retain(LONG)), 1);
          expect(await completing).toEqual(failed);
          expect(await store.claim(subject, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
          expect(await store.complete(claim, retain(LONG))).toBe(true);
        },
      );

      it.each(among(['loses its reply', 'gets a garbled reply']))(
        '%s as it writes is recognized by its token when it reads again',
        async (fault) => {
          const subject = newSubject();
          const claim = await meeting(fault, (faulty) => faulty.claim(subject, 'PAID', lease(LONG)), 1);
          expect(claim).toMatchObject({ status: 'claimed', subject, state: 'PAID' });
          expect(await store.claim(subject, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
          const completing = (faulty: IdempotencyStore) =>
            faulty.complete({ ...(claim as Claim) }, retain(LONG));
          expect(await meeting(fault, completing, 1)).toBe(true);
          expect((await other.claim(subject, 'PAID', lease(LONG))).status).toBe('done');
          expect(await store.complete(claim as Claim, retain(LONG))).toBe(true);
        },
      );

      it.each(among(['hangs before its reply']))(
        '%s as it writes has happened as a whole, and its lease runs out by itself',
        async (fault) => {
          const subject = newSubject();
          const claiming = meeting(fault, (faulty) => faulty.claim(subject, 'PAID', lease(SHORT)), 1);
          expect(await claiming).toBe('hanging');
          expect(await store.claim(subject, 'PAID', lease(SHORT))).toEqual({ status: 'busy' });
          await harness.pass(WELL_PAST_SHORT);
          const claim = await claimed(store, subject, 'PAID');
          const completing = meeting(fault, (faulty) => faulty.complete({ ...claim }, retain(LONG)), 1);
          expect(await completing).toBe('hanging');
          expect((await other.claim(subject, 'PAID', lease(LONG))).status).toBe('done');
        },
      );

      it.each(among(['is sent twice']))('%s happens once, and is recognised', async (fault) => {
        const subject = newSubject();
        const claim = await meeting(fault, (faulty) => faulty.claim(subject, 'PAID', lease(LONG)), 1);
        expect(claim).toMatchObject({ status: 'claimed' });
        expect(await store.claim(subject, 'PAID', lease(LONG))).toEqual({ status: 'busy' });
        await meeting(fault, (faulty) => faulty.release({ ...(claim as Claim) }), 1);
        const again = await claimed(store, subject, 'PAID');
        expect(again.fence).toBeGreaterThan((claim as Claim).fence);
        expect(await meeting(fault, (faulty) => faulty.complete({ ...again }, retain(LONG)), 1)).toBe(true);
        const done = { status: 'done', handledStates: ['PAID'] };
        expect(await store.claim(subject, 'PAID', lease(LONG))).toEqual(done);
      });

      it.each(among(['hangs before it is sent']))(
        '%s and is carried out late does nothing, or holds the subject no longer than it was asked for',
        async () => {
          const subject = newSubject();
          const injected = new Faults();
          injected.next = 'is sent late';
          injected.skip = 1;
          const faulty = harness.open({ faults: injected });
          const late = faulty
            .claim(subject, 'PAID', { leaseMs: LONG, withinMs: SHORT })
            .catch((error) => error);
          await injected.hanging;
          await harness.pass(WELL_PAST_SHORT);
          injected.send();
          await late;
          // Past the claim's own limit, the database refuses to carry it out.
          expect((await other.claim(subject, 'PAID', lease(LONG))).status).toBe('claimed');
        },
      );
    });
  });
}

/** The error that names the wrong option. */
function wrong(option: string): object {
  return {
    code: 'configuration',
    message: expect.stringContaining(`Expected \`${option}\` to be`),
  };
}

/** Long, and hard to compress. */
const long = Array.from({ length: 100 }, (_, index) =>
  createHash('sha512').update(String(index)).digest('hex'),
).join('');

const oddTexts = [
  '%',
  '%3A:%25',
  ':',
  '::',
  '{a}',
  '}{',
  '{}',
  '"',
  '"quoted"',
  "'; DROP TABLE x; --",
  '\\',
  '\\"',
  '$1',
  '$.a[0]',
  '\0',
  '\\u0000',
  '\n',
  ' ',
  '\uD800',
  '\uDC00',
  '\uFFFD',
  'ção',
  'ca\u0303o',
  '🇧🇷',
  'sha256:',
  'A',
  'a',
  long,
  'é'.repeat(499),
  `${long}y`,
  '__proto__',
  'fence',
];
