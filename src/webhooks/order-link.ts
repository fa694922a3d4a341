import { isIdentity } from '../service/checks';
import { documentedKinds } from '../service/notifications';
import type { OrderReference } from '../service/notifications/notification';
import type { ValidationIssue } from '../shared/validation-issue';
import type { AboutMoney } from '../stores/dead-letters';
import type { SingleRecords } from '../stores/steps';
import type { PaymentConfirmation, TransactionSource } from '../values/confirm-payment';
import type { Replay, Task } from './cause';
import type { Identity } from './key';
import type { AnyDefinition } from './kinds';
import type { Meant } from './recognize';
import type { OrdersCode, ReportText, WebhookReportCode } from './report-texts';

/** The order that a notification of one of your own kinds is about, as its definition's `order` says. */
export interface NotifiedOrder {
  /** Your key of the order. */
  readonly key: string;
}

/** A payment that a body of the service's own means. */
export interface MeantPayment {
  /** The uuid of the transaction that was paid. */
  readonly saleToken: string;
  /** The reference of its journey. */
  readonly referenceCode?: string | null | undefined;
  /** In the currency's main unit. */
  readonly amount?: number | null | undefined;
  /** An ISO 4217 code. */
  readonly currency?: string | null | undefined;
  /** When it was paid, `yyyy-MM-dd HH:mm:ss`. */
  readonly date?: string | null | undefined;
}

/** A notification whose order is asked for. */
export type Notified = Pick<Task, 'notification' | 'identity' | 'cause' | 'isMeant'>;

/** What a case tells of its notification. */
export type CaseDetails = AboutMoney;

/** Where the order of a notification is. */
export interface FoundKey {
  /** Its key; `undefined` if there is none. */
  readonly key: string | undefined;
  /** The letters of returns that came before the sale was known. */
  readonly early: readonly string[];
  /** Whether the service, or the first event of its recurrence, names another order of ours. */
  readonly isOthers?: boolean | undefined;
  /** Whether the service's transaction carries a reference of this order. */
  readonly isStated?: boolean | undefined;
}

/** What is to be done about a notification, as its order is now. */
export interface Plan {
  readonly details: CaseDetails;
  /** Why it is a case: nothing runs, and its state is left undone. */
  readonly reason?: WebhookReportCode | undefined;
  /** What its case is kept under, if not under its own identity. */
  readonly letter?: Identity | undefined;
  /** What runs; `undefined` if nothing has to. It gets the callback's context. */
  readonly run?: ((context: object) => unknown) | undefined;
  /**
   * Under a lease, recorded before it runs: what the delivery of another notification must see meanwhile. `false`: the
   * order has changed, so decide again.
   */
  readonly before: () => Promise<boolean>;
  /** Records that it is done: before it runs in a transaction, else after it. */
  readonly record: () => Promise<void>;
  /** The letters that wait for what was recorded. */
  readonly followUps: () => readonly string[];
}

/** A case, for its order to remember. */
export interface CaseEntry {
  /** The key of its letter. */
  readonly key: string;
  readonly reason: string;
  readonly details: CaseDetails;
}

/** What a person's dismissal means to the order. */
export interface Dismissal {
  /** Why it was a case. */
  readonly reason: string;
  /** Whether its own attempt is not wanted any more. */
  readonly closes: boolean;
}

/**
 * What ends a case:
 * - `retry`: trying it again
 * - `order`: its order, once that has changed; a person, if it does not change
 * - `order-in-time`: the same, and the change usually comes by itself
 * - `person`: a person alone
 */
export type EndedBy = 'retry' | 'order' | 'order-in-time' | 'person';

/** What `createOrders` adds to a listener. */
export interface OrderLink {
  /** What ends a case of this code; nothing for a code of which none is kept. */
  readonly endedBy: (code: string) => EndedBy | undefined;
  /** What a report says of the codes that only `createOrders` has. */
  readonly texts: Readonly<Record<OrdersCode, ReportText>>;
  /** What a report says became of a case. */
  readonly fateOf: (code: string, origin: 'delivery' | 'replay' | 'settle') => string;
  /** Called once it is known what a request is answered. Never rejects. */
  readonly onAnswer: () => Promise<void>;
  /** Asked before a person's decision to book is carried out. */
  readonly client: TransactionSource;
  /** Makes a payment of a body of no known kind, where it means one; gives any other notification as it is. */
  readonly meant: (recognized: Meant) => Meant;
  /** Finds the order of a notification, outside any transaction. */
  find(
    records: SingleRecords,
    notified: Notified,
    confirmation: PaymentConfirmation | undefined,
  ): Promise<FoundKey>;
  /**
   * Says what is to be done.
   *
   * @param records - in a transaction, the order is locked until its end
   */
  plan(
    records: SingleRecords,
    notified: Notified,
    found: FoundKey,
    confirmation: PaymentConfirmation | undefined,
  ): Promise<Plan>;
  /**
   * Whether a payment whose state is done was done as money of no order, and leads to an order of ours now, as its event says:
   * - `again`: nothing has run for it, so that it is decided as if it were not done
   * - `foreign`: the merchant's own callback has run for it
   *
   * What an event says beyond what was acted on is remembered: the ordinary form of a charge names no recurrence.
   *
   * @param isSame - whether just this has been acted on
   */
  strayOf(
    records: SingleRecords,
    notified: Notified,
    isSame: boolean,
  ): Promise<'again' | 'foreign' | undefined>;
  /**
   * What is missing for a payment that the service has confirmed to be proven the order's; nothing if it is. Of one that
   * came as an event, the service is asked where its transaction does not say so.
   *
   * @throws what the service's client throws
   */
  missingProof(
    notified: Notified,
    found: FoundKey,
    confirmation: PaymentConfirmation | undefined,
    signal: AbortSignal,
  ): Promise<readonly ValidationIssue[] | undefined>;
  /** Whether a case that its order decides would be decided as it was: one read, mostly. */
  isAsItWas(records: SingleRecords, replayed: Notified & { readonly cause: Replay }): Promise<boolean>;
  /** What the case of a notification tells that nothing was decided about. */
  about(records: SingleRecords, notified: Notified): Promise<CaseDetails>;
  /**
   * The order is told of a case: whether its own money has come, and that what has begun has ended. A return that came
   * before its sale is remembered beside that.
   *
   * @param isRunning - whether its callback may still succeed
   */
  note(records: SingleRecords, entry: CaseEntry, isRunning: boolean): Promise<void>;
  /** The order is told that a case is over. It remembers what a person has dismissed. */
  end(records: SingleRecords, entry: Omit<CaseEntry, 'reason'>, dismissal?: Dismissal): Promise<void>;
}

/** The kinds that are decided by their order, and have no callback of their own with `createOrders`. */
export const ORDER_KINDS: ReadonlySet<string> = new Set([
  'payment',
  'saleStatus',
  'refund',
  'reversal',
  'recurrence',
]);

/** Whose order a notification is about, as its kind says. What is too long to be an identity finds none, and is not kept. */
export function referenceOf(
  { kind, payload }: Pick<Notified['notification'], 'kind' | 'payload'>,
  kinds: readonly AnyDefinition[] = [],
): OrderReference {
  const { uuid, referenceCode } = readerOf(kind, kinds)?.(payload) ?? {};
  return {
    uuid: isIdentity(uuid) ? uuid : undefined,
    referenceCode: isIdentity(referenceCode) ? referenceCode : undefined,
  };
}

function readerOf(kind: string, kinds: readonly AnyDefinition[]) {
  const isIt = (each: { readonly kind: string }) => each.kind === kind;
  const { order } = documentedKinds.find(isIt) ?? kinds.find(isIt) ?? {};
  return order as ((payload: unknown) => OrderReference | undefined) | undefined;
}
