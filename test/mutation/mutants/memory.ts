import { mutantsOf } from '../mutant';

/** In `MemoryStore`. */
export const memoryMutants = mutantsOf(
  'src/stores/memory-store.ts',
  ['test/stores/memory-store.test.ts'],
  [
    ['done: an expired state counts', 'done.filter(({ until }) => until > now)', 'done.filter(() => true)'],
    [
      'done: the expiry of the last state counts for all',
      'done.filter(({ until }) => until > now)',
      '(done.at(-1)?.until ?? 0) > now ? done : []',
    ],
    [
      'a claim does not make its subject younger',
      'this.#subjects.delete(key);\n    this.#subjects.set(key, new Lease',
      'this.#subjects.set(key, new Lease',
    ],
    [
      'a completion makes its subject younger',
      'const { token } = entry;',
      'const { token } = entry;\n    this.#subjects.delete(key);',
    ],
    [
      'a claim of a done state makes its subject younger',
      "if (handledStates.includes(keptState(state))) return { status: 'done', handledStates };",
      "if (handledStates.includes(keptState(state))) { this.#subjects.delete(key); this.#subjects.set(key, entry!); return { status: 'done', handledStates }; }",
    ],
    ['an expired lease counts', 'entry instanceof Lease && entry.until > now', 'entry instanceof Lease'],
    [
      'the sweep drops live leases',
      'if (!isLeased(entry, now) && liveStates(entry, now).length === 0)',
      'if (liveStates(entry, now).length === 0)',
    ],
    [
      'the sweep drops live done states',
      'if (!isLeased(entry, now) && liveStates(entry, now).length === 0)',
      'if (!isLeased(entry, now))',
    ],
    ['live leases are evicted', 'if (!isLeased(entry, now)) return;', 'return;'],
    [
      'a release forgets the done states',
      'else this.#subjects.set(key, entry.done);',
      'else this.#subjects.delete(key);',
    ],
    [
      'a release accepts any token',
      '!(entry instanceof Lease) || !isOf(claim, entry)',
      '!(entry instanceof Lease)',
    ],
    [
      'a completion accepts any token',
      '!isLeased(entry, now) || !isOf(claim, entry)',
      '!isLeased(entry, now)',
    ],
    [
      'a completion accepts an expired lease',
      '!isLeased(entry, now) || !isOf(claim, entry)',
      '!(entry instanceof Lease) || !isOf(claim, entry)',
    ],
    ['more than 64 states are kept', '.slice(-MAX_STATES));', ');'],
    ['the fence is only the clock', 'Math.max(this.#lastFence + 1, now)', 'now'],
    [
      'expired parked notifications stay until they are listed',
      'until: now + retainFor });\n    this.#forgetExpiredParked(now);',
      'until: now + retainFor });',
    ],
  ],
);
