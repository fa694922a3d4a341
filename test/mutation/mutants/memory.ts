import { mutantsOf } from '../mutant';

/** In `MemoryStore`. */
export const memoryMutants = mutantsOf(
  'src/stores/memory-store.ts',
  ['test/stores/memory-store.test.ts'],
  [
    ['done: what has expired counts', 'done.filter(({ until }) => until > now)', 'done.filter(() => true)'],
    [
      'done: the last state decides for all',
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
      'a state that is not claimed makes it younger',
      "if (handledStates.includes(keptState(state))) return { status: 'done', handledStates };",
      "if (handledStates.includes(keptState(state))) { this.#subjects.delete(key); this.#subjects.set(key, entry!); return { status: 'done', handledStates }; }",
    ],
    ['an expired lease lives', 'entry instanceof Lease && entry.until > now', 'entry instanceof Lease'],
    [
      'the sweep takes leases',
      'if (!isLeased(entry, now) && liveStates(entry, now).length === 0)',
      'if (liveStates(entry, now).length === 0)',
    ],
    [
      'the sweep takes what is done',
      'if (!isLeased(entry, now) && liveStates(entry, now).length === 0)',
      'if (!isLeased(entry, now))',
    ],
    ['room is made of leases', 'if (!isLeased(entry, now)) return;', 'return;'],
    [
      'a release forgets what is done',
      'else this.#subjects.set(key, entry.done);',
      'else this.#subjects.delete(key);',
    ],
    [
      'a release of any token',
      '!(entry instanceof Lease) || !isOf(claim, entry)',
      '!(entry instanceof Lease)',
    ],
    ['a completion of any token', '!isLeased(entry, now) || !isOf(claim, entry)', '!isLeased(entry, now)'],
    [
      'a completion of an expired lease',
      '!isLeased(entry, now) || !isOf(claim, entry)',
      '!(entry instanceof Lease) || !isOf(claim, entry)',
    ],
    ['more states than 64', '.slice(-MAX_STATES));', ');'],
    ['the fence stays with the clock', 'Math.max(this.#lastFence + 1, now)', 'now'],
    [
      'parked that have expired stay until they are listed',
      'until: now + retainFor });\n    this.#forgetExpiredParked(now);',
      'until: now + retainFor });',
    ],
  ],
);
