import type { ValidationIssue } from '../shared/validation-issue';
import type { DeadLetter } from '../stores/dead-letters';
import type { TransactionSource } from '../values/confirm-payment';
import type { Identity } from './key';

/** Why a notification is acted on. */
export type Cause = Delivery | Replay | Settlement | Decision;

/** The service has delivered it. */
export interface Delivery {
  readonly origin: 'delivery';
  readonly received: Received;
  /** Which pair of credentials it came with. */
  readonly credentialIndex: number;
  /** The status that something else has answered it with. */
  readonly answeredWith?: (() => number | undefined) | undefined;
}

/** Its dead letter is run again. */
export interface Replay {
  readonly origin: 'replay';
  readonly letter: DeadLetter;
  /** Whether somebody has asked for this letter: then it runs whatever pair of credentials it came with. */
  readonly isAsked: boolean;
}

/** The service was asked, and has told of it. */
export interface Settlement {
  readonly origin: 'settlement';
  readonly received: Received;
  /** Gives what the service has said of a payment. */
  readonly said?: TransactionSource | undefined;
}

/** A person has decided that its case is booked. */
export interface Decision {
  readonly origin: 'decision';
  readonly letter: DeadLetter;
  readonly booking: Booking;
  /** Whether it is booked as a payment of its own, though it came as a repeat of one that is done. */
  readonly isAgain: boolean;
}

/** What a dead letter holds of what was received. */
export interface Received {
  /** Text, bytes, or what a parser has made of it. */
  readonly body: unknown;
  readonly url: string;
  /** The fingerprint of the pair of credentials that it came with. */
  readonly credential: string;
}

/** What a person says of a case besides the decision, where nothing else does. */
export interface Booking {
  /** Whose it is, for a case of no order. */
  readonly order?: string | undefined;
  /** How much it is, in the currency's main unit, for a case whose amount is not clear. */
  readonly amount?: number | undefined;
  /** With `'dismiss'`: dismisses own money that the service says is paid, because you have it sent back. */
  readonly evenIfPaid?: boolean | undefined;
}

/** A notification to act on. */
export interface Task {
  readonly notification: {
    readonly kind: string;
    readonly payload?: unknown;
    readonly raw: Readonly<Record<string, unknown>>;
    readonly key: string;
    readonly issues?: readonly ValidationIssue[] | undefined;
  };
  /** What it is acted on under. */
  readonly identity: Identity;
  readonly cause: Cause;
  /** Whether it is what the merchant's `asPayment` has made of a body: its reference finds an order, and proves nothing. */
  readonly isMeant?: boolean | undefined;
  /** When it began, by `performance.now()`. */
  readonly startedAt: number;
}

/** What its dead letter is kept under: a letter that is run again stays where it is. */
export function letterIdentity({ identity, cause }: Pick<Task, 'identity' | 'cause'>): Identity {
  return 'letter' in cause ? cause.letter : identity;
}

/** The origin as `onDone` and the reports tell it. */
export function originOf({ origin }: Cause): 'delivery' | 'replay' | 'settle' {
  if (origin === 'delivery') return 'delivery';
  return origin === 'settlement' ? 'settle' : 'replay';
}
