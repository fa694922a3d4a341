import type { IdempotencyStore } from '../../../src/webhooks';
import type { World } from '../world/world';

/**
 * A store whose steps wait until the explorer carries them out. The ledger sees their results at that moment.
 *
 * @param scale - the factor for the handler’s leases before the store gets them
 */
export function overNetwork(
  world: World,
  inner: IdempotencyStore<unknown>,
  scale = 1,
): IdempotencyStore<unknown> {
  const { ledger } = world;
  const times = (sentAt: number) => ({ sentAt, now: world.storeNow, exact: world.exact });
  return {
    claim: (subject, state, leaseMs) => {
      const { delivery } = world;
      // Nothing waits for the end of the last leases, so they keep their full length: a short one could end early on
      // a slow machine, and fail the check.
      const grantedMs = world.isEnding ? leaseMs : leaseMs * scale;
      return world.send(
        'claim',
        () => inner.claim(subject, state, grantedMs),
        (result, sentAt) => {
          const grant = ledger.claimed(delivery, { state, leaseMs: grantedMs, ...times(sentAt) }, result);
          world.note(grant === undefined ? result.status : `claimed, with the fence ${grant.fence}`);
        },
      );
    },
    complete: (claim, retentionMs) =>
      world.send(
        'completion',
        () => inner.complete(claim, retentionMs),
        (recorded) => {
          ledger.completed(claim.token, recorded, world.storeNow, world.exact);
          world.note(recorded ? `${claim.state} is recorded as done` : 'the lease is lost');
        },
      ),
    release: (claim) =>
      world.send(
        'release',
        () => inner.release(claim),
        () => ledger.released(claim.token),
      ),
  };
}
