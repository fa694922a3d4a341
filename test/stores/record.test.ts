import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import {
  decideClaim,
  decideComplete,
  decideRelease,
  endOf,
  expiryOf,
  isLeased,
  keyOf,
  MAX_STATES,
  NO_RECORD,
  nextVersion,
  recordFromText,
  recordToText,
  type SubjectRecord,
} from '../../src/stores/record';
import { seedRandomTests } from '../helpers/random-seed';

seedRandomTests();

const NOW = 1_900_000_000_000;
const LEASE_MS = 40_000;
const MONTH_MS = 30 * 24 * 60 * 60_000;

const claimOf = (state: string, token: string, now = NOW) => ({ state, token, now, leaseMs: LEASE_MS });

function claimed(record: SubjectRecord, state: string, token: string, now = NOW): SubjectRecord {
  const decision = decideClaim(record, claimOf(state, token, now));
  if (decision.status !== 'claimed' || decision.next === undefined) throw new Error(decision.status);
  return decision.next;
}

function completed(record: SubjectRecord, state: string, token: string, now = NOW, retentionMs = MONTH_MS) {
  const { next } = decideComplete(record, { state, token, now, retentionMs });
  if (next === undefined) throw new Error('not completed');
  return next;
}

describe('A claim', () => {
  it('takes the lease of a new subject', () => {
    expect(decideClaim(NO_RECORD, claimOf('PAID', 'a'))).toEqual({
      status: 'claimed',
      handledStates: [],
      next: { lease: { token: 'a', until: NOW + LEASE_MS, ms: LEASE_MS }, done: [] },
    });
  });

  it('is done before it is busy', () => {
    const pending = completed(claimed(NO_RECORD, 'PENDING', 'a'), 'PENDING', 'a');
    const paying = claimed(pending, 'PAID', 'b');
    expect(decideClaim(paying, claimOf('PENDING', 'c'))).toMatchObject({
      status: 'done',
      handledStates: ['PENDING'],
    });
    expect(decideClaim(paying, claimOf('PAID', 'c'))).toEqual({ status: 'busy' });
    expect(decideClaim(paying, claimOf('CANCELLED', 'c'))).toEqual({ status: 'busy' });
  });

  it('recognizes its own token, and writes nothing', () => {
    const leased = claimed(NO_RECORD, 'PAID', 'a');
    expect(decideClaim(leased, claimOf('PAID', 'a'))).toEqual({ status: 'claimed', handledStates: [] });
  });

  it('counts a lease until its last millisecond', () => {
    const leased = claimed(NO_RECORD, 'PAID', 'a');
    expect(decideClaim(leased, claimOf('PAID', 'b', NOW + LEASE_MS - 1)).status).toBe('busy');
    expect(decideClaim(leased, claimOf('PAID', 'b', NOW + LEASE_MS)).status).toBe('claimed');
  });

  it('waits for a lease when the clock was set back by a minute, and not when by more', () => {
    const leased = claimed(NO_RECORD, 'PAID', 'a');
    for (const backMs of [21_000, 60_000]) {
      expect(decideClaim(leased, claimOf('PAID', 'b', NOW - backMs)).status).toBe('busy');
      expect(isLeased(leased, NOW - backMs)).toBe(true);
    }
    expect(decideClaim(leased, claimOf('PAID', 'b', NOW - 60_001)).status).toBe('claimed');
    expect(isLeased(leased, NOW - 3_600_000)).toBe(false);
  });

  it('keeps a lease that was asked for longer than a minute', () => {
    const { next } = decideClaim(NO_RECORD, { ...claimOf('PAID', 'a'), leaseMs: 600_000 }) as {
      next: SubjectRecord;
    };
    expect(decideClaim(next, claimOf('PAID', 'b')).status).toBe('busy');
  });

  it('passes on the states whose retention is not over', () => {
    const pending = completed(claimed(NO_RECORD, 'PENDING', 'a'), 'PENDING', 'a', NOW, 1_000);
    const paid = completed(claimed(pending, 'PAID', 'b'), 'PAID', 'b');
    expect(decideClaim(paid, claimOf('X', 'c', NOW + 999))).toMatchObject({
      handledStates: ['PENDING', 'PAID'],
    });
    const later = decideClaim(paid, claimOf('PENDING', 'c', NOW + 1_000));
    expect(later).toMatchObject({
      status: 'claimed',
      handledStates: ['PAID'],
      next: { done: [{ state: 'PAID' }] },
    });
  });
});

describe('A completion', () => {
  const complete = (record: SubjectRecord, state: string, token: string, now = NOW) =>
    decideComplete(record, { state, token, now, retentionMs: MONTH_MS });

  it('records the state and gives up the lease', () => {
    expect(complete(claimed(NO_RECORD, 'PAID', 'a'), 'PAID', 'a')).toEqual({
      completed: true,
      next: { done: [{ state: 'PAID', token: 'a', at: NOW, until: NOW + MONTH_MS }] },
    });
  });

  it('keeps the time of its claim and its content, which a later claim is given', () => {
    const content = { amount: 'h1' };
    const asked = { state: 'PAID', token: 'a', now: NOW, retentionMs: MONTH_MS, content };
    const { next = NO_RECORD } = decideComplete(claimed(NO_RECORD, 'PAID', 'a'), asked);
    const later = decideClaim(next, claimOf('PAID', 'b', NOW + 5));
    expect(later).toEqual({ status: 'done', handledStates: ['PAID'], at: NOW, now: NOW + 5, content });
  });

  it('counts after its lease too, where nobody came between', () => {
    const leased = claimed(NO_RECORD, 'PAID', 'a');
    expect(complete(leased, 'PAID', 'a', NOW + 3_600_000).completed).toBe(true);
  });

  it('is refused once another claim came between, whatever became of it', () => {
    const taken = claimed(claimed(NO_RECORD, 'PAID', 'a'), 'PAID', 'b', NOW + LEASE_MS);
    expect(complete(taken, 'PAID', 'a', NOW + LEASE_MS)).toEqual({ completed: false });
    const { next: released = NO_RECORD } = decideRelease(taken, { token: 'b', now: NOW });
    expect(complete(released, 'PAID', 'a')).toEqual({ completed: false });
    const done = completed(taken, 'PAID', 'b', NOW + LEASE_MS);
    expect(complete(done, 'PAID', 'a', NOW + LEASE_MS)).toEqual({ completed: false });
    expect(complete(NO_RECORD, 'PAID', 'a')).toEqual({ completed: false });
  });

  it('is confirmed again to the claim that made it, and to no other', () => {
    const done = completed(claimed(NO_RECORD, 'PAID', 'a'), 'PAID', 'a');
    expect(complete(done, 'PAID', 'a')).toEqual({ completed: true });
    expect(complete(done, 'PENDING', 'a')).toEqual({ completed: false });
    expect(complete(done, 'PAID', 'b')).toEqual({ completed: false });
  });

  it(`remembers the ${MAX_STATES} newest states, oldest first`, () => {
    let record = NO_RECORD;
    for (let index = 0; index < MAX_STATES + 6; index += 1) {
      record = completed(claimed(record, `S${index}`, `t${index}`), `S${index}`, `t${index}`);
    }
    expect(record.done.map(({ state }) => state)).toEqual(
      Array.from({ length: MAX_STATES }, (_, index) => `S${index + 6}`),
    );
    expect(decideClaim(record, claimOf('S5', 'x')).status).toBe('claimed');
    expect(decideClaim(record, claimOf('S6', 'x')).status).toBe('done');
  });

  it('forgets no live state because of states that have expired', () => {
    let record = completed(claimed(NO_RECORD, 'KEPT', 'k'), 'KEPT', 'k');
    for (let index = 0; index < MAX_STATES - 1; index += 1) {
      record = completed(claimed(record, `S${index}`, 't'), `S${index}`, 't', NOW, 1);
    }
    record = completed(claimed(record, 'A', 'a', NOW + 1), 'A', 'a', NOW + 1);
    expect(record.done.map(({ state }) => state)).toEqual(['KEPT', 'A']);
  });
});

describe('A release', () => {
  it('gives up its own lease alone, and keeps what is done', () => {
    const pending = completed(claimed(NO_RECORD, 'PENDING', 'a'), 'PENDING', 'a');
    const leased = claimed(pending, 'PAID', 'b');
    expect(decideRelease(leased, { token: 'b', now: NOW })).toEqual({ next: pending });
    expect(decideRelease(leased, { token: 'a', now: NOW })).toEqual({});
    expect(decideRelease(pending, { token: 'a', now: NOW })).toEqual({});
    expect(decideRelease(NO_RECORD, { token: '', now: NOW })).toEqual({});
  });
});

describe('A version', () => {
  it('starts at the clock and only grows, also within a millisecond and with a clock set back', () => {
    expect(nextVersion(0, NOW)).toBe(NOW);
    expect(nextVersion(NOW, NOW)).toBe(NOW + 1);
    expect(nextVersion(NOW, NOW - 5)).toBe(NOW + 1);
    expect(nextVersion(NOW, NOW + 5)).toBe(NOW + 5);
  });
});

describe('A record', () => {
  it('expires after its lease, its states and its version', () => {
    const until = (ms: number) => ({ state: 'S', token: 't', at: NOW, until: NOW + ms });
    expect(expiryOf(endOf(NO_RECORD), NOW)).toBe(NOW + 1);
    expect(expiryOf(endOf({ lease: { token: 't', until: NOW + 7, ms: 7 }, done: [until(3)] }), NOW)).toBe(
      NOW + 7,
    );
    expect(expiryOf(endOf({ done: [until(9), until(5)] }), NOW)).toBe(NOW + 9);
    expect(expiryOf(endOf({ done: [until(9)] }), NOW + 20)).toBe(NOW + 21);
  });

  it('is read as it was written, in ASCII, whatever its states and tokens hold', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const surrogates = fc.constantFrom('\uD800', '\uDC00x', '\0', 'ção', '🇧🇷', '"\\', '__proto__');
    const any = fc.oneof(text, surrogates);
    const lease = fc.record({ token: any, until: fc.maxSafeNat(), ms: fc.nat() });
    const done = fc.array(fc.record({ state: any, token: any, until: fc.maxSafeNat() }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.option(lease, { nil: undefined }), done, (lease, done) => {
        const written = recordToText({ lease, done }, 'write');
        expect(written).toMatch(/^[\x20-\x7e]+$/);
        expect(recordFromText(written)).toMatchObject({ done, token: 'write' });
        expect(recordFromText<SubjectRecord>(written)?.lease).toEqual(lease);
      }),
    );
  });

  it.each([undefined, null])('is none where there is %s', (text) => {
    expect(recordFromText(text)).toBeUndefined();
  });

  it.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '1',
    '{"format":2,"token":"t"}',
    '{"format":1}',
    '{"format":"1","token":"t"}',
  ])('of another form is refused: %j', (text) => {
    expect(() => recordFromText(text)).toThrow(StoreError);
    expect(() => recordFromText(text)).toThrow(
      'A record of the store does not have format 1, the one that this release reads. Either a newer release of ' +
        'pix-automatic-sdk wrote it, then update this process too; or something else writes to the records.',
    );
  });
});

describe('A key', () => {
  it.each(['payment:1', 'a%20b', '~'.repeat(493), '{}', '/seen:'])('has the id as it is: %j', (id) => {
    expect(keyOf('shop', 'seen:', id)).toBe(`shop/seen:${id}`);
  });

  it.each(['', 'a b', 'a ', 'a\0b', '\uD800', 'é', '🇧🇷', 'x'.repeat(503), 'sha256:1', 'a\n'])(
    'keeps its prefix, and has the hash of an id that some database could change or refuse: %j',
    (id) => {
      const digest = createHash('sha256').update(JSON.stringify(id)).digest('hex');
      expect(keyOf('shop', 'letter:', id)).toBe(`shop/letter:sha256:${digest}`);
    },
  );

  it('is at most 512 characters with the longest namespace', () => {
    const namespace = 'n'.repeat(100);
    for (const length of [400, 404, 405, 406, 407, 512]) {
      expect(keyOf(namespace, 'seen:', 'x'.repeat(length)).length).toBeLessThanOrEqual(512);
    }
  });

  it('of one namespace never begins with the prefix of another', () => {
    for (const [one, other] of [
      ['a', 'a.b'],
      ['a', 'a-'],
      ['shop', 'shop2'],
    ] as const) {
      expect(keyOf(other, 'seen:', 'x').startsWith(`${one}/`)).toBe(false);
    }
  });

  it('keeps a long state as its hash, and tells long states apart', () => {
    const states = ['x', 'y'].map((end) => 'S'.repeat(600) + end);
    let record = NO_RECORD;
    for (const state of states) record = completed(claimed(record, state, state), state, state);
    for (const state of states) expect(decideClaim(record, claimOf(state, 't')).status).toBe('done');
    for (const { state } of record.done) expect(state).toMatch(/^sha256:[0-9a-f]{64}$/);
    for (const exact of ['é'.repeat(512), 'x:sha256:']) {
      expect(completed(claimed(NO_RECORD, exact, 'a'), exact, 'a').done[0]?.state).toBe(exact);
    }
  });
});

/** Any history of one subject, with a clock that only moves on: what the property tests below look at. */
describe('Any history of a subject', () => {
  type Step =
    | { readonly kind: 'claim'; readonly state: string }
    | { readonly kind: 'complete' | 'release'; readonly claim: number }
    | { readonly kind: 'wait'; readonly ms: number };
  const state = fc.constantFrom('PENDING', 'PAID', 'CANCELLED');
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('claim' as const), state }),
    fc.record({ kind: fc.constantFrom('complete' as const, 'release' as const), claim: fc.nat(5) }),
    fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 5_000, LEASE_MS, LEASE_MS + 1, 100_000),
    }),
  );

  it('has one owner at a time, completes no state twice, and only ever grows its version', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let [record, version, now] = [NO_RECORD, 0, NOW];
        const claims: { token: string; state: string; until: number; over: boolean }[] = [];
        const recorded = new Map<string, string>();
        const write = (next: SubjectRecord) => {
          const grown = nextVersion(version, now);
          expect(grown).toBeGreaterThan(version);
          [record, version] = [
            recordFromText<SubjectRecord>(recordToText(next, 'write')) as SubjectRecord,
            grown,
          ];
          const ends = [record.lease?.until ?? 0, ...record.done.map(({ until }) => until), version];
          expect(expiryOf(endOf(record), version)).toBeGreaterThanOrEqual(Math.max(...ends));
        };
        for (const each of steps) {
          if (each.kind === 'wait') now += each.ms;
          else if (each.kind === 'claim') {
            const token = `t${claims.length}`;
            const decision = decideClaim(record, claimOf(each.state, token, now));
            const alive = claims.filter(({ over, until }) => !over && until > now);
            if (decision.status === 'claimed') {
              expect(alive).toEqual([]);
              expect(recorded.has(each.state)).toBe(false);
              claims.push({ token, state: each.state, until: now + LEASE_MS, over: false });
              write(decision.next as SubjectRecord);
            } else if (decision.status === 'busy') expect(alive).toHaveLength(1);
            else expect(recorded.has(each.state)).toBe(true);
            if (decision.status !== 'busy') expect(decision.handledStates).toEqual([...recorded.keys()]);
          } else {
            const claim = claims[each.claim];
            if (claim === undefined) continue;
            const isNewest = claim === claims.at(-1);
            if (each.kind === 'release') {
              const { next } = decideRelease(record, { token: claim.token, now });
              expect(next !== undefined).toBe(isNewest && !claim.over);
              if (next !== undefined) write(next);
            } else {
              const asked = { ...claim, now, retentionMs: MONTH_MS };
              const { completed, next } = decideComplete(record, asked);
              const before = recorded.get(claim.state) === claim.token;
              expect(completed).toBe(before || (isNewest && !claim.over));
              if (next !== undefined) {
                write(next);
                recorded.set(claim.state, claim.token);
              }
            }
            if (isNewest) claim.over = true;
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
