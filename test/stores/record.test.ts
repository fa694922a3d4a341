import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import {
  decideClaim,
  decideComplete,
  decideDelivered,
  decideRelease,
  endOf,
  expiryOf,
  isLeased,
  keyOf,
  MAX_OTHER_STATES,
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
const completionOf = (state: string, token: string, now = NOW, retentionMs = MONTH_MS) => {
  return { state, token, now, retentionMs };
};

/**
 * Plays steps from no record on: `PAID:a` claims for the token a, `PAID:a!` completes, `PAID:a!5` for 5 ms, `~a`
 * releases, `+5` lets time pass. Gives the record, and in a line what the last step comes to, with what is then done and
 * who has the lease: `claimed, PENDING, b`.
 */
function play(steps: string) {
  let [record, now, line] = [NO_RECORD, NOW, ''];
  for (const step of steps.split(' ')) {
    const [, state = '', token = '', completes, retention] = /^(\w*)[:~](\w+)(!)?(\d*)$/.exec(step) ?? [];
    let said = 'passed';
    let next: SubjectRecord | undefined;
    if (token === '') now += Number(step);
    else if (state === '') {
      ({ next } = decideRelease(record, { token, now }));
      said = 'released';
    } else if (completes) {
      const ms = retention ? Number(retention) : MONTH_MS;
      const decision = decideComplete(record, completionOf(state, token, now, ms));
      said = decision.completed ? 'completed' : 'refused';
      next = decision.next;
    } else {
      const decision = decideClaim(record, claimOf(state, token, now));
      said = [decision.status, ...('handledStates' in decision ? decision.handledStates : [])].join(' ');
      next = decision.status === 'claimed' ? decision.next : undefined;
    }
    record = next ?? record;
    const done = record.done.map((each) => each.state).join(' ');
    line = [said, ...(next ? [done || 'none', record.lease?.token ?? 'free'] : ['nothing written'])].join(
      ', ',
    );
  }
  return { record, line };
}

const PENDING = 'PENDING:a PENDING:a!';

it.each([
  // A claim
  ['PAID:a', 'claimed, none, a'],
  [`${PENDING} PAID:b`, 'claimed PENDING, PENDING, b'],
  // It is done before it is busy.
  [`${PENDING} PAID:b PENDING:c`, 'done PENDING, nothing written'],
  [`${PENDING} PAID:b PAID:c`, 'busy, nothing written'],
  [`${PENDING} PAID:b CANCELLED:c`, 'busy, nothing written'],
  // It recognizes its own token.
  ['PAID:a PAID:a', 'claimed, nothing written'],
  // A lease counts until its last millisecond.
  [`PAID:a +${LEASE_MS - 1} PAID:b`, 'busy, nothing written'],
  [`PAID:a +${LEASE_MS} PAID:b`, 'claimed, none, b'],
  // It is waited for when the clock was set back by a minute, and not when by more.
  ['PAID:a -21000 PAID:b', 'busy, nothing written'],
  ['PAID:a -60000 PAID:b', 'busy, nothing written'],
  ['PAID:a -60001 PAID:b', 'claimed, none, b'],
  // All states end together, at the end of the one that is kept longest.
  ['PENDING:a PENDING:a!1000 PAID:b PAID:b!500 +999 X:c', 'claimed PENDING PAID, PENDING PAID, c'],
  ['PENDING:a PENDING:a!1000 PAID:b PAID:b!500 +1000 PENDING:c', 'claimed, none, c'],
  ['PENDING:a PENDING:a!500 PAID:b PAID:b!1000 +999 PENDING:c', 'done PENDING PAID, nothing written'],
  [
    'PENDING:a PENDING:a!500 PAID:b ~b PAID:d PAID:d!1000 +999 PENDING:c',
    'done PENDING PAID, nothing written',
  ],

  // A completion
  ['PAID:a PAID:a!', 'completed, PAID, free'],
  // It counts after its lease too, where nobody came between.
  ['PAID:a +3600000 PAID:a!', 'completed, PAID, free'],
  // It is refused once another claim came between, whatever became of it.
  ['PAID:a!', 'refused, nothing written'],
  [`PAID:a +${LEASE_MS} PAID:b PAID:a!`, 'refused, nothing written'],
  [`PAID:a +${LEASE_MS} PAID:b ~b PAID:a!`, 'refused, nothing written'],
  [`PAID:a +${LEASE_MS} PAID:b PAID:b! PAID:a!`, 'refused, nothing written'],
  // It is confirmed again to the claim that made it, and to no other.
  ['PAID:a PAID:a! PAID:a!', 'completed, nothing written'],
  ['PAID:a PAID:a! PENDING:a!', 'refused, nothing written'],
  ['PAID:a PAID:a! PAID:b!', 'refused, nothing written'],

  // A release gives up its own lease alone, and keeps what is done.
  ['PAID:a ~a', 'released, none, free'],
  [`${PENDING} PAID:b ~b`, 'released, PENDING, free'],
  [`${PENDING} PAID:b ~a`, 'released, nothing written'],
  [`${PENDING} ~a`, 'released, nothing written'],
  ['~a', 'released, nothing written'],
])('%s comes to: %s', (steps, expected) => {
  expect(play(steps).line).toBe(expected);
});

describe('the text of a record', () => {
  const MEBI = 1024 * 1024;

  it('has at most 4 MiB for a body of 1 MiB, whatever that is made of', () => {
    for (const filler of ['\u007f', 'é', '"', '\\', '\n', '\u2028', '😀', 'x']) {
      const body = filler.repeat(Math.floor(MEBI / Buffer.byteLength(filler)));
      const text = recordToText({ letter: { body } }, 'token');
      expect(text).toMatch(/^[\x20-\x7f]+$/);
      expect([filler, text.length <= 4 * MEBI]).toEqual([filler, true]);
      expect(recordFromText(text)).toMatchObject({ letter: { body } });
    }
  });

  it('of another format is refused by its name', () => {
    const of = (format: unknown) => () => recordFromText(JSON.stringify({ format, token: 'x', done: [] }));
    expect(of(1)).toThrow(/has format 1: an earlier release.*reads format 2/);
    expect(of(3)).toThrow(/has format 3: a newer release.*reads format 2/);
    for (const none of [undefined, '2', null]) expect(of(none)).toThrow(/has no format.*something else/);
  });
});

describe('A claim', () => {
  it('takes a lease of the length that is asked for, also of more than a minute', () => {
    for (const leaseMs of [LEASE_MS, 600_000]) {
      const next = { lease: { token: 'a', until: NOW + leaseMs, ms: leaseMs }, done: [] };
      const claim = { ...claimOf('PAID', 'a'), leaseMs };
      expect(decideClaim(NO_RECORD, claim)).toEqual({ status: 'claimed', handledStates: [], next });
      expect(decideClaim(next, claimOf('PAID', 'b'))).toEqual({ status: 'busy' });
    }
  });

  it('is leased when the clock was set back by a minute, and not when by more', () => {
    const back = [21_000, 60_000, 60_001, 3_600_000].map((ms) => isLeased(play('PAID:a').record, NOW - ms));
    expect(back).toEqual([true, true, false, false]);
  });
});

describe('A completion', () => {
  it('keeps the time of its claim and its content, which a later claim is given', () => {
    const content = { fields: { amount: 'h1' } };
    const asked = { ...completionOf('PAID', 'a'), content };
    const { next = NO_RECORD } = decideComplete(play('PAID:a').record, asked);
    const done = [{ state: 'PAID', token: 'a', at: NOW, content }];
    expect(next).toEqual({ done, until: NOW + MONTH_MS });
    const later = decideClaim(next, claimOf('PAID', 'b', NOW + 5));
    expect(later).toEqual({ status: 'done', handledStates: ['PAID'], at: NOW, now: NOW + 5, content });
  });
});

/** So many states that the document does not name, each done. */
const others = (count: number) => Array.from({ length: count }, (_, i) => `S${i}:t${i} S${i}:t${i}!`);

describe(`A subject with ${MAX_OTHER_STATES} states that the document does not name`, () => {
  const full = others(MAX_OTHER_STATES);
  const all = full.map((_, i) => `S${i}`).join(' ');

  it('takes no other one, and forgets none for it', () => {
    expect(play([...full.slice(1), 'X:x'].join(' ')).line).toMatch(/^claimed /);
    expect(play([...full, 'X:x'].join(' ')).line).toBe('full, nothing written');
    expect(play([...full, 'X:x', 'S0:x'].join(' ')).line).toBe(`done ${all}, nothing written`);
  });

  it('still has a place for each that the document names, and never forgets PAID', () => {
    const documented = ['PENDING', 'CANCELLED', 'FAILED', 'REVERSAL'].map((s) => `${s}:${s} ${s}:${s}!`);
    const steps = ['PAID:p PAID:p!', ...full, ...documented, 'X:x', 'PAID:y'];
    const done = `PAID ${all} PENDING CANCELLED FAILED REVERSAL`;
    expect(play(steps.join(' ')).line).toBe(`done ${done}, nothing written`);
  });

  it('takes one again once all of them are over', () => {
    expect(play([...full, `+${MONTH_MS}`, 'X:x'].join(' ')).line).toBe('claimed, none, x');
  });
});

describe('The first delivery of what was settled', () => {
  const settled = { fields: { amount: 'h1' }, isSettled: true } as const;
  const content = { fields: { amount: 'h1' }, text: 'h2' };

  it('takes its place, once', () => {
    const record: SubjectRecord = {
      done: [{ state: 'PAID', token: 'a', at: 1, content: settled }],
      until: 9,
    };
    const delivery = { state: 'PAID', now: 5, content };
    const { next = NO_RECORD } = decideDelivered(record, delivery);
    expect(next).toEqual({ done: [{ state: 'PAID', token: 'a', at: 5, content }], until: 9 });
    expect(decideDelivered(next, delivery)).toEqual({});
    expect(decideDelivered(record, { ...delivery, state: 'X' })).toEqual({});
    expect(decideDelivered(record, { ...delivery, now: 9 })).toEqual({});
  });
});

describe('A version', () => {
  it('starts at the clock and only grows, also within a millisecond and with a clock set back', () => {
    const versions = [nextVersion(0, NOW), ...[NOW, NOW - 5, NOW + 5].map((now) => nextVersion(NOW, now))];
    expect(versions).toEqual([NOW, NOW + 1, NOW + 1, NOW + 5]);
  });
});

describe('A record', () => {
  it('expires after its lease, its states and its version', () => {
    const done = [{ state: 'S', token: 't', at: NOW }];
    const lease = { token: 't', until: NOW + 7, ms: 7 };
    const expiries = [NO_RECORD, { lease, done, until: NOW + 3 }, { lease, done, until: NOW + 9 }].map(
      (record) => expiryOf(endOf(record), NOW),
    );
    expect(expiries).toEqual([NOW + 1, NOW + 7, NOW + 9]);
    expect(expiryOf(endOf({ done, until: NOW + 9 }), NOW + 20)).toBe(NOW + 21);
  });

  it('is read as it was written, in ASCII, whatever its states and tokens hold', () => {
    // Not `fc.string({ unit: 'binary' })`, which takes more than a second to make.
    const text = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));
    const surrogates = fc.constantFrom('\uD800', '\uDC00x', '\0', 'ção', '🇧🇷', '"\\', '__proto__');
    const any = fc.oneof(text, surrogates);
    const lease = fc.record({ token: any, until: fc.maxSafeNat(), ms: fc.nat() });
    const done = fc.array(fc.record({ state: any, token: any, until: fc.maxSafeNat() }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.option(lease, { nil: undefined }), done, (lease, done) => {
        const written = recordToText({ lease, done }, 'write');
        expect(written).toMatch(/^[\x20-\x7f]+$/);
        expect(recordFromText(written)).toMatchObject({ done, token: 'write' });
        expect(recordFromText<SubjectRecord>(written)?.lease).toEqual(lease);
      }),
    );
  });

  it.each([undefined, null])('is none where there is %s', (text) => {
    expect(recordFromText(text)).toBeUndefined();
  });

  const otherFormats = ['{"format":1,"token":"t"}', '{"format":2}', '{"format":"2","token":"t"}'];
  it.each(['', 'x', 'null', '[]', '{}', '1', ...otherFormats])('of another form is refused: %j', (text) => {
    const read = () => recordFromText(text);
    expect(read).toThrow(StoreError);
    expect(read).toThrow(/^A record of the store has (no format|format \d).*; this release reads format 2\./);
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

  it('of a record that has no id is its name alone', () => {
    expect(keyOf('shop', 'maintain', '')).toBe('shop/maintain');
  });

  it('is at most 512 characters with the longest namespace', () => {
    const namespace = 'n'.repeat(100);
    for (const length of [400, 404, 405, 406, 407, 512]) {
      expect(keyOf(namespace, 'seen:', 'x'.repeat(length)).length).toBeLessThanOrEqual(512);
    }
  });

  it('of one namespace never begins with the prefix of another', () => {
    for (const other of ['a.b', 'a-', 'a2']) expect(keyOf(other, 'seen:', 'x').startsWith('a/')).toBe(false);
  });

  it('keeps a long state as its hash, and tells long states apart', () => {
    const recordOf = (states: string[]) =>
      states.reduce((record, state) => {
        const { next } = decideClaim(record, claimOf(state, state)) as { next: SubjectRecord };
        return decideComplete(next, completionOf(state, state)).next as SubjectRecord;
      }, NO_RECORD);
    const states = ['x', 'y'].map((end) => 'S'.repeat(600) + end);
    const record = recordOf(states);
    for (const state of states) expect(decideClaim(record, claimOf(state, 't')).status).toBe('done');
    for (const { state } of record.done) expect(state).toMatch(/^sha256:[0-9a-f]{64}$/);
    const exact = ['é'.repeat(512), 'x:sha256:'];
    expect(recordOf(exact).done.map(({ state }) => state)).toEqual(exact);
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
          record = recordFromText<SubjectRecord>(recordToText(next, 'write')) as SubjectRecord;
          version = grown;
          const ends = [record.lease?.until ?? 0, record.until ?? 0, version];
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
            if ('handledStates' in decision) expect(decision.handledStates).toEqual([...recorded.keys()]);
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
