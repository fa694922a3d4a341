import type { ClaimResult } from '../../../src/webhooks';
import type { Delivery, Grant, Run } from './types';

/** A property that did not hold. */
export interface Violation {
  readonly invariant: Invariant;
  readonly message: string;
}

/** The properties that must hold, each with its meaning. */
export const INVARIANTS = {
  'one owner': 'two callbacks of a subject never run at once while both leases live',
  'recorded before 200': 'a 200 means that the effect is there and is recorded',
  'nothing lost':
    'once all leases are over, a delivery without a fault is answered 200, and the effect is there',
  'acted on once':
    'an effect is there twice only after a crash, a pause, a cut or a hung callback before its record',
  'exactly once': 'in transactional mode no effect is there twice',
  'late claim':
    'a claim that the handler has given up holds the subject no longer than until its answer comes',
  'completion retried': 'a success is not given up while its lease lasts',
  'transaction held': 'a callback that outlives its time keeps the subject while its transaction can',
  fences: 'each claim has a greater fence than those before',
  'handled states': 'a callback is told the states that were done when it was claimed, oldest first',
  'nobody waits': 'no callback starts once its delivery has been answered',
  'store contract': 'the store answers what its record allows, and records nothing else',
  answers: 'an answer is 200, 500 or 503, there is one, and no rejection escapes',
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** The events that are visible from outside of the library: what is granted, recorded and done. */
export class Ledger {
  readonly grants: Grant[] = [];
  readonly done: string[] = [];
  /** The effects, in the order in which they became visible. */
  readonly effects: Grant[] = [];
  readonly runs: Run[] = [];
  lease: Grant | undefined;
  readonly #violated: (invariant: Invariant, message: string) => void;

  constructor(violated: (invariant: Invariant, message: string) => void) {
    this.#violated = violated;
  }

  leaseLives(now: number): boolean {
    return this.lease !== undefined && now < this.lease.until;
  }

  grantOf(token: string): Grant | undefined {
    return this.grants.find((grant) => grant.token === token);
  }

  /** Compares the store’s answer to a claim with what its record allows. */
  claimed(delivery: Delivery, asked: Asked, result: ClaimResult): Grant | undefined {
    const { state, sentAt, now, leaseMs, exact } = asked;
    const allowed = this.done.includes(state) ? 'done' : this.leaseLives(now) ? 'busy' : 'claimed';
    if (exact && result.status !== allowed) {
      this.#violated(
        'store contract',
        `a claim was answered '${result.status}' where the record says '${allowed}'`,
      );
    }
    if (result.status !== 'claimed') return undefined;
    const highest = Math.max(0, ...this.grants.map(({ fence }) => fence));
    if (result.fence <= highest) this.#violated('fences', `the fence ${result.fence} came after ${highest}`);
    const grant: Grant = {
      delivery,
      token: result.token,
      fence: result.fence,
      state,
      doneBefore: [...this.done],
      by: now,
      until: sentAt + leaseMs,
      completed: false,
      excuse: delivery.trouble,
      rolledBack: false,
    };
    this.grants.push(grant);
    this.lease = grant;
    return grant;
  }

  /** Notes a claim in a transaction. Its owner has the subject until the transaction ends, so `until` is never. */
  begun(delivery: Delivery, state: string, { fence, handledStates }: Begun, now: number): void {
    this.grants.push({
      delivery,
      token: `${delivery.name} ${fence}`,
      fence,
      state,
      doneBefore: handledStates,
      by: now,
      until: Number.POSITIVE_INFINITY,
      completed: false,
      excuse: undefined,
      rolledBack: false,
    });
  }

  /** The transaction of a delivery has ended, whoever ended it. */
  ended(delivery: Delivery, now: number, rolledBack: boolean): void {
    for (const grant of this.grants) {
      if (grant.delivery !== delivery) continue;
      grant.until = now;
      grant.rolledBack = rolledBack;
    }
  }

  completed(token: string, recorded: boolean, now: number, exact: boolean): void {
    const grant = this.grantOf(token);
    if (grant === undefined) {
      this.#violated('store contract', 'a completion came without a claim');
      return;
    }
    const allowed = grant.completed || (this.lease === grant && now < grant.until);
    if (exact && recorded !== allowed) {
      this.#violated(
        'store contract',
        `a completion was answered ${recorded} where the record says ${allowed}`,
      );
    }
    if (!recorded) return;
    if (!grant.completed) this.done.push(grant.state);
    grant.completed = true;
    if (this.lease === grant) this.lease = undefined;
  }

  released(token: string): void {
    if (this.lease?.token === token) this.lease = undefined;
  }

  /** Notes an effect of the plain mode, which is visible at once. */
  acted(grant: Grant, exact: boolean): void {
    for (const other of this.effects) {
      if (other.state !== grant.state) continue;
      const [first, second] = other.by <= grant.by ? [other, grant] : [grant, other];
      const about = `${first.delivery.name} and ${second.delivery.name} both had the effect of ${grant.state}`;
      if (first === second)
        this.#violated('acted on once', `${first.delivery.name}'s callback ran twice for one claim`);
      else if (second.by < first.until)
        this.#violated('acted on once', `${about}, within the first one's lease`);
      else if (exact && first.excuse === undefined)
        this.#violated('acted on once', `${about}, and nothing happened to the first`);
    }
    this.effects.push(grant);
  }

  started(run: Run, now: number, handledStates: readonly string[]): void {
    const { grant, delivery } = run;
    const told = handledStates.join();
    if (told !== grant.doneBefore.join()) {
      this.#violated(
        'handled states',
        `${delivery.name} was told [${told}] where [${grant.doneBefore}] were done`,
      );
    }
    if (delivery.status !== undefined) {
      this.#violated(
        'nobody waits',
        `${delivery.name}'s callback started after its answer ${delivery.status}`,
      );
    }
    const owns = (other: Run) => !other.ended && now < other.grant.until;
    const other = now < grant.until ? this.runs.find(owns) : undefined;
    if (other !== undefined) {
      this.#violated(
        'one owner',
        `${delivery.name}'s callback started while ${other.delivery.name}'s was running`,
      );
    }
    const outlived = this.runs.find(
      (earlier) => !earlier.ended && earlier.overdue && earlier.grant.rolledBack,
    );
    if (outlived !== undefined) {
      const name = outlived.delivery.name;
      this.#violated(
        'transaction held',
        `${delivery.name}'s callback started while ${name}'s was still at work`,
      );
    }
    this.runs.push(run);
  }

  effectsOf(state: string): number {
    return this.effects.filter((effect) => effect.state === state).length;
  }
}

/** The answer to a claim in a transaction. */
export interface Begun {
  readonly fence: number;
  readonly handledStates: readonly string[];
}

/** A claim: what it asked for, when it was sent (`sentAt`) and when it was carried out (`now`). */
export interface Asked {
  readonly state: string;
  readonly sentAt: number;
  readonly now: number;
  readonly leaseMs: number;
  /** Whether the times are those of the store itself, so that its answer is certain. */
  readonly exact: boolean;
}
