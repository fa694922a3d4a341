import type { Claim, ClaimResult, IdempotencyStore } from '../../../src/webhooks';
import type { Change } from './memory';

/** The mistakes of a hand-written store. */
export interface Mistakes {
  readonly ignoresLease?: boolean;
  readonly looksThenTakes?: boolean;
  readonly renewsWhenBusy?: boolean;
  readonly sameFence?: boolean;
  readonly completesWithoutToken?: boolean;
  readonly completesAfterLease?: boolean;
  readonly releasesWithoutToken?: boolean;
  readonly releaseForgetsDone?: boolean;
  readonly forgetsDone?: boolean;
  readonly doneAtClaim?: boolean;
  readonly tellsNoStates?: boolean;
  readonly newestFirst?: boolean;
  readonly neverEnds?: boolean;
  readonly endsTooLate?: boolean;
}

/** The contract in a few lines, as a merchant may write it. Without mistakes it must pass. */
export function recordStore(mistakes: Mistakes = {}): Change {
  return (_, world) => {
    const record = { token: '', until: 0, fence: 0, done: [] as { state: string; token: string }[] };
    const leaseLives = () =>
      record.token !== '' && (mistakes.endsTooLate ? world.now <= record.until : world.now < record.until);
    const owns = ({ token }: Claim) => record.token === token || mistakes.completesWithoutToken === true;
    const states = () => record.done.map(({ state }) => state);

    const take = (subject: string, state: string, leaseMs: number): ClaimResult => {
      record.fence += mistakes.sameFence && record.fence > 0 ? 0 : 1;
      record.token = `${state} ${world.ledger.grants.length}`;
      record.until = world.now + (mistakes.neverEnds ? 1e9 : leaseMs);
      const handledStates = mistakes.tellsNoStates ? [] : states();
      if (mistakes.newestFirst) handledStates.reverse();
      if (mistakes.doneAtClaim) record.done.push({ state, token: record.token });
      return { status: 'claimed', subject, state, token: record.token, fence: record.fence, handledStates };
    };

    const store: IdempotencyStore<unknown> = {
      claim: async (subject, state, leaseMs) => {
        const lives = leaseLives();
        if (states().includes(state)) return { status: 'done', handledStates: states() };
        if (mistakes.looksThenTakes && !lives) await world.send('second step of the claim', async () => {});
        if (lives && mistakes.renewsWhenBusy) record.until = Math.max(record.until, world.now + leaseMs);
        if (lives && !mistakes.ignoresLease) return { status: 'busy' };
        return take(subject, state, leaseMs);
      },
      complete: async (claim) => {
        if (record.done.some(({ state, token }) => state === claim.state && token === claim.token))
          return true;
        if (!owns(claim) || !(leaseLives() || mistakes.completesAfterLease)) return false;
        if (!mistakes.forgetsDone) record.done.push({ state: claim.state, token: claim.token });
        record.token = '';
        return true;
      },
      release: async (claim) => {
        if (mistakes.releaseForgetsDone) record.done = [];
        if (record.token === claim.token || mistakes.releasesWithoutToken) record.token = '';
      },
    };
    return store;
  };
}
