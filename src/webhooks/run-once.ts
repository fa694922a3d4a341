import { DeadlineExceeded, inTime, sleep, stopwatch } from '../shared/time';
import type { Acted, Claim, ClaimResult, Dismissed, Done as DoneBefore, Transact } from '../stores/steps';
import { call, isOfMoney, NOTHING_TO_WRITE, needsPerson, Person, startCallback } from './call';
import type { Run } from './callback-for';
import { BUSY, storeFailed, TOO_MANY_STATES, withDetails, withDetailsOf } from './failures';
import { keep, keepIn } from './keep';
import type { Listener } from './listener';
import type { CaseDetails, Plan } from './order-link';
import type { Done, Failure } from './outcome';
import { type Prepared, planFrom, planUnderLease, prepare } from './prepare';
import type { WebhookReportCode } from './report-texts';

/** It was done before. */
export interface Repeat extends Done {
  /** What it is to be compared with. */
  readonly before: DoneBefore;
}

/** Runs a callback once, as far as the store can ensure that. */
export function runOnce(run: Run, listener: Listener): Promise<Done | Repeat | Failure> {
  const { store } = listener;
  if (store.transact === undefined) return runUnderLease(run, listener);
  return runInTransaction(run, store.transact.bind(store), listener);
}

async function runUnderLease(run: Run, listener: Listener): Promise<Done | Repeat | Failure> {
  const { store, leaseMs, storeTimeoutMs, callbackTimeoutMs } = listener;
  const { retentionMs, cause } = run;
  const { subject, state } = run.identity;
  const isByPerson = cause.origin === 'decision';
  const leaseAge = stopwatch();
  let claim: ClaimResult;
  try {
    const limits = { leaseMs, withinMs: storeTimeoutMs, retentionMs, isByPerson, over: dismissalsOver(run) };
    claim = await inTime(store.claim(subject, state, limits), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
  if (claim.status === 'done') return repeatOf(claim);
  if (claim.status === 'busy') return BUSY;
  if (claim.status === 'full') return withDetailsOf(run, TOO_MANY_STATES, listener);
  const claimed = claim;
  // Kept before the subject is given back, so that nobody acts on it between the two.
  const leave = async (failure: Failure) => {
    const kept = await keep(run, failure, listener);
    await release(claimed, listener);
    return { ...failure, kept };
  };

  const callbackAge = stopwatch();
  const prepared = await prepare(run, listener);
  const ready = 'code' in prepared ? prepared : await planUnderLease(run, prepared, listener);
  if ('code' in ready) {
    if (claimed.dismissed === undefined || !isStillDenied(run, ready)) return leave(ready);
    await release(claimed, listener);
    return repeatOf(claimed.dismissed);
  }
  // A process that was suspended would run the callback beside the next owner's.
  const remainingMs = callbackTimeoutMs - callbackAge();
  if (leaseMs - leaseAge() < remainingMs) return leave(storeFailed(new DeadlineExceeded(CLAIMED_TOO_LATE)));
  const { plan, details } = ready;
  if (plan?.reason !== undefined) return leave(caseOf(plan, plan.reason));
  const record = () => recordDone(run, claimed, plan, leaseAge, listener);
  if (plan !== undefined && plan.run === undefined) return record();

  const running = startCallback(run, claimed, ready, remainingMs, listener);
  try {
    await running.inTime;
  } catch (error) {
    if (!running.isTooSlow()) {
      const failed = { code: 'callback_failed', status: 500, error } as const;
      return leave(withDetails(needsPerson(running.person) ?? failed, details));
    }
    const late = running.ended.then(
      async () => needsPerson(running.person) === undefined && (await record()).code === 'done',
      async () => {
        await release(claimed, listener);
        return false;
      },
    );
    const slow = withDetails({ code: 'callback_timeout', status: 500, error, late }, details);
    return { ...slow, kept: await keep(run, slow, listener) };
  }
  const asked = needsPerson(running.person);
  return asked === undefined ? record() : leave(withDetails(asked, details));
}

const CLAIMED_TOO_LATE =
  'the claim came so late that too little of its lease was left; the process was probably suspended';

/**
 * Which dismissals a run is over. A person revokes that of a payment by booking it; what was dismissed unconfirmed is asked
 * about again, whoever comes with it.
 */
function dismissalsOver({ notification, cause, confirm }: Run): readonly Dismissed[] {
  if (notification.kind !== 'payment' || confirm === undefined) return [];
  return cause.origin === 'decision' ? ['final', 'unconfirmed'] : ['unconfirmed'];
}

/** Whether the service still does not confirm, or know, what a person has dismissed for that. */
function isStillDenied({ cause }: Run, { code, error }: Failure): boolean {
  const isUnknown = (error as { readonly httpStatus?: unknown } | undefined)?.httpStatus === 404;
  return (
    (code === 'not_confirmed' || (code === 'confirm_failed' && isUnknown)) && cause.origin !== 'decision'
  );
}

const DONE: Done = { code: 'done', isRepeat: false };

function doneWith(plan: Plan | undefined): Done {
  return plan === undefined ? DONE : { ...DONE, followUps: plan.followUps() };
}

function repeatOf(before: DoneBefore): Repeat {
  return { code: 'done', isRepeat: true, before };
}

/** What is not expected is left undone, so that a person's decision can still run it. */
function caseOf({ details, letter }: Plan, code: WebhookReportCode): Failure {
  // Its return is being acted on under another notification.
  if (code === 'busy') return BUSY;
  return { code, status: 200, toKeep: { about: details, as: letter } };
}

/** Records a success. It must not be lost, so this keeps trying while the lease lasts. */
async function recordDone(
  run: Run,
  claim: Claim,
  plan: Plan | undefined,
  leaseAge: () => number,
  listener: Listener,
): Promise<Done | Failure> {
  const { store, storeTimeoutMs, leaseMs } = listener;
  const { retentionMs, comparison } = run;
  const completion = { retentionMs, content: comparison?.content, withinMs: storeTimeoutMs };
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      // Before the completion, so that a done state without its payment is never left.
      if (plan !== undefined) await inTime(plan.record(), storeTimeoutMs);
      const isRecorded = await inTime(store.complete(claim, completion), storeTimeoutMs);
      return isRecorded ? doneWith(plan) : { code: 'lease_lost', status: 503 };
    } catch (error) {
      if (leaseAge() + pauseMs >= leaseMs) return storeFailed(error);
    }
    await sleep(pauseMs);
  }
}

/** Frees the subject for the next delivery. If that fails, the lease runs out before it comes. */
async function release(claim: Claim, { store, storeTimeoutMs }: Listener): Promise<void> {
  try {
    await inTime(store.release(claim), storeTimeoutMs);
  } catch {
    // The report is about the failure that led to the release.
  }
}

/** Ends a transaction before it begins. */
class Refused extends Error {
  constructor(readonly outcome: Repeat | Failure) {
    super();
  }
}

async function runInTransaction(
  run: Run,
  transact: Transact<unknown>,
  listener: Listener,
): Promise<Done | Repeat | Failure> {
  const { storeTimeoutMs, callbackTimeoutMs } = listener;
  const { identity, retentionMs, comparison, cause } = run;
  const request = {
    subject: identity.subject,
    state: identity.state,
    content: comparison?.content,
    retentionMs,
    timeoutMs: callbackTimeoutMs,
    storeTimeoutMs,
    isReplay: cause.origin !== 'delivery',
    isByPerson: cause.origin === 'decision',
    over: dismissalsOver(run),
    prepare: async (dismissed: DoneBefore | undefined): Promise<Prepared> => {
      const prepared = await prepare(run, listener);
      if (!('code' in prepared)) return prepared;
      const isRepeat = dismissed !== undefined && isStillDenied(run, prepared);
      throw new Refused(isRepeat ? repeatOf(dismissed) : prepared);
    },
  };
  let details: CaseDetails | undefined;

  const result = await transact(request, async ({ transaction, claim, records, act }, prepared) => {
    // Locked after the subject, so that the second of two payments of an order sees what the first one has written.
    const ready = await planFrom(records, run, prepared, listener);
    const { plan } = ready;
    details = ready.details;
    const leave = async (failure: Failure) => ({
      ...failure,
      kept: await keepIn(records, run, failure, listener),
    });
    if (plan?.reason !== undefined) return leave(caseOf(plan, plan.reason));
    // Before the callback: if it commits by itself, this is committed with what it wrote.
    await plan?.record();
    const person = new Person();
    const acted = await act(async (signal) => {
      let came: Acted = 'undone';
      try {
        const result = await call(run, claim, { ...ready, transaction, signal, person }, listener);
        came = isOfMoney(run) && result !== NOTHING_TO_WRITE ? 'written' : 'done';
      } catch (error) {
        if (person.note === undefined) throw error;
      }
      return person.note === undefined ? came : 'undone';
    });
    const asked = needsPerson(person);
    if (acted === 'undone' && asked !== undefined) return leave(withDetails(asked, details));
    return doneWith(plan);
  });
  switch (result.status) {
    case 'completed':
    case 'undone':
      return result.value;
    case 'done':
      return repeatOf(result);
    case 'busy':
      return BUSY;
    case 'full':
      return withDetailsOf(run, TOO_MANY_STATES, listener);
    case 'late': {
      const late = result.ended.then(({ status }) => status === 'completed' || status === 'done');
      return withDetails(
        { code: 'callback_timeout', status: 500, error: new DeadlineExceeded(), late },
        details,
      );
    }
    case 'failed': {
      const { during, error } = result;
      if (error instanceof Refused) return error.outcome;
      return during === 'begin' ? storeFailed(error) : withDetails({ ...FAILED[during], error }, details);
    }
  }
}

/** What has failed in a transaction, by what was being done. */
const FAILED = {
  'own commit': { code: 'transaction_ended', status: 200 },
  // Rolled back: its case is written once the transaction is over, by `conclude`.
  callback: { code: 'callback_failed', status: 500 },
  'nothing written': { code: 'nothing_written', status: 500 },
  // The callback has begun, and it is open whether this was committed. The next delivery finds out.
  work: { code: 'store_failed', status: 500 },
  commit: { code: 'store_failed', status: 500 },
} as const;
