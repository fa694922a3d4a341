import type { PaymentNotification } from '../service/notifications/sale';
import { isGiven } from '../shared/objects';
import { DeadlineExceeded, inTime } from '../shared/time';
import type { Claim } from '../stores/steps';
import type { PaymentConfirmation } from '../values/confirm-payment';
import type { Run } from './callback-for';
import type { Listener } from './listener';
import type { Failure } from './outcome';
import type { Ready } from './prepare';

/** A replay and a settlement answer no request, so no credentials came with them. */
const NO_CREDENTIALS = -1;

/** What a callback of money resolves with that has nothing to write on purpose. */
export const NOTHING_TO_WRITE = 'nothing';

const MONEY_KINDS: ReadonlySet<string> = new Set(['payment', 'refund', 'reversal']);

export function isOfMoney({ notification }: Run): boolean {
  return MONEY_KINDS.has(notification.kind);
}

/** Calls the callback, or what runs in its place, and resolves with what it gives. */
export async function call(
  { notification, identity, callback, cause }: Run,
  { fence, handledStates }: Claim,
  {
    plan,
    person,
    details: _details,
    ...more
  }: Ready & { readonly transaction: unknown; readonly signal: AbortSignal; readonly person: Person },
  { orders }: Listener,
): Promise<unknown> {
  const { key } = identity;
  const context = {
    key,
    handledStates,
    credentialIndex: cause.origin === 'delivery' ? cause.credentialIndex : NO_CREDENTIALS,
    fence,
    ...more,
    ...(orders && { needsPerson: person.ask }),
  };
  const given = more.confirmation === undefined ? notification : withMoney(notification, more.confirmation);
  // Awaiting also runs a lazy query, such as one of Prisma, Drizzle or Knex, and only once.
  if (plan === undefined) return callback(given, context);
  return plan.run === undefined ? NOTHING_TO_WRITE : plan.run(context);
}

/** The person to whom a callback may hand its notification. Remembered, whatever the callback does after that. */
export class Person {
  note: string | undefined;

  readonly ask = (why: string): never => {
    this.note ??= String(why ?? 'The callback gave no reason.').slice(0, MAX_NOTE_LENGTH);
    throw new Error(
      '`needsPerson` was called. Let this error pass: what the callback does after it is undone.',
    );
  };
}

const MAX_NOTE_LENGTH = 200;

export function needsPerson({ note }: Person): Failure | undefined {
  return note === undefined ? undefined : { code: 'needs_person', status: 200, toKeep: { note } };
}

/** A confirmed payment with the service's amount and currency: the notification may have none. */
function withMoney(
  notification: unknown,
  { transaction: { amount, currency } }: PaymentConfirmation,
): object {
  const payment = notification as PaymentNotification;
  const said = { ...(isGiven(amount) && { amount }), ...(isGiven(currency) && { currency }) };
  return { ...payment, payload: { ...payment.payload, ...said } };
}

/** A callback under a lease that was started. */
interface StartedCallback {
  /** Settles as the callback does, or rejects when its time is over. */
  readonly inTime: Promise<unknown>;
  /** Settles as the callback does, however long it takes. */
  readonly ended: Promise<unknown>;
  /** Whether its time was over before it had ended. */
  readonly isTooSlow: () => boolean;
  readonly person: Person;
}

/** Starts the callback, and fires its signal when its time is over. */
export function startCallback(
  run: Run,
  claim: Claim,
  ready: Ready,
  timeoutMs: number,
  listener: Listener,
): StartedCallback {
  const controller = new AbortController();
  const { signal } = controller;
  const person = new Person();
  const ended = call(run, claim, { ...ready, transaction: undefined, signal, person }, listener);
  const timed = inTime(ended, timeoutMs, () => {
    controller.abort(new DeadlineExceeded(`took longer than ${timeoutMs} ms`));
    throw signal.reason;
  });
  return { ended, inTime: timed, isTooSlow: () => signal.aborted, person };
}
