import { type PayOutOptions, payOut } from './payout';
import type { SandboxPayout, SandboxRefund, SandboxReversal, SandboxScheduledPayment } from './records';
import { type RefundOptions, refund } from './refund';
import { endReversal, type ReversalOptions, reverse } from './reversal';
import { cancelTransaction, chargeSale, findTransaction, hideTransaction, pay } from './sale';
import { SandboxError } from './sandbox-error';
import { endScheduledPayment } from './scheduled-payments';
import type { ServiceState } from './state';
import { createTestJourney, type TestJourneyOptions } from './test-journey';
import { describeJourney, isListed, type SandboxTransaction } from './transactions';

/** What the payer, the bank and the service do by themselves. */
export interface MoveControls {
  /** A snapshot of every journey created so far, the oldest first. */
  readonly transactions: readonly SandboxTransaction[];
  /**
   * The payer pays: the transaction is `PAID`, and the payment notification goes out. A journey without an immediate
   * payment is only authorized: it stays `PENDING`, and nothing is charged or sent.
   *
   * @returns the payments that are now scheduled, which `cancelScheduledPayment` can cancel. Invented by the sandbox.
   */
  pay(transactionUUID: string): SandboxScheduledPayment[];
  /** The transaction becomes `CANCELLED`. Invented: the document shows neither this move nor a notification for it. */
  cancelTransaction(transactionUUID: string): void;
  /** The service starts to return the funds: a `PENDING` reversal is created, and its notification goes out. */
  reverse(transactionUUID: string, options?: ReversalOptions): SandboxReversal;
  /** The funds are returned: the reversal is `PAID`, and its notification goes out. */
  completeReversal(reversalUUID: string): SandboxReversal;
  /** The reversal is `CANCELLED`, and its notification goes out. */
  cancelReversal(reversalUUID: string): SandboxReversal;
  /** A refund that you asked for is credited, in part or in full, and its notification goes out. */
  refund(transactionUUID: string, options?: RefundOptions): SandboxRefund;
  /** A payout is made, or fails with the code in `fail`, and its notification goes out. */
  payOut(options: PayOutOptions): SandboxPayout;
  /** The scheduled payments of a journey, by due date. */
  scheduledPayments(transactionUUID: string): SandboxScheduledPayment[];
  /**
   * A scheduled payment is charged and cannot be cancelled any more. Sends nothing, because the document shows no payload;
   * with `scheduledPaymentSale` of the inventions, it makes a sale of its own and sends its payment notification.
   */
  payScheduledPayment(instructionId: string): SandboxScheduledPayment;
  /** A scheduled payment is cancelled, as `cancelScheduledPayment` of a client does. */
  cancelScheduledPayment(instructionId: string, reason?: string): SandboxScheduledPayment;
  /** Creates a journey as a client would, to have one to play with. */
  createTestJourney(options?: TestJourneyOptions): SandboxTransaction;
  /** Leaves a journey out of every list, and sends nothing about it. `verify` hides its own journeys. */
  hideTransaction(transactionUUID: string): void;
  /** A scheduled payment fails, for good. Sends nothing: the document shows no payload. */
  failScheduledPayment(instructionId: string): SandboxScheduledPayment;
  /**
   * Sends your own payload, such as a notification of the recurring journey that you received from the service. The
   * document says that these exist but does not show them. Apart from `playScenario`, the sandbox makes none up.
   *
   * @param query - flags for the query of the listener's URL, such as `type=recurrence`.
   * @throws `SandboxError` (`invalid`) for a payload that is nested more than 100 levels deep.
   */
  notify(payload: object, query?: string): void;
}

/** The moves on one state. Each returns a copy, so that a later move does not change what the caller holds. */
export function moveControls(state: ServiceState): MoveControls {
  return {
    get transactions() {
      return [...state.transactions.values()]
        .filter(isListed)
        .map((transaction) => describeJourney(state, transaction));
    },
    pay: (uuid) => pay(state, uuid).map(copy),
    cancelTransaction: (uuid) => cancelTransaction(state, uuid),
    reverse: (uuid, options) => copy(reverse(state, uuid, options)),
    completeReversal: (uuid) => copy(endReversal(state, uuid, 'PAID')),
    cancelReversal: (uuid) => copy(endReversal(state, uuid, 'CANCELLED')),
    refund: (uuid, options) => copy(refund(state, uuid, options)),
    payOut: (options) => copy(payOut(state, options)),
    scheduledPayments: (uuid) => findTransaction(state, uuid).scheduledPayments.map(copy),
    payScheduledPayment(instructionId) {
      const payment = endScheduledPayment(state, instructionId, 'PAID');
      if (state.inventions.scheduledPaymentSale) {
        payment.saleUUID = chargeSale(state, findTransaction(state, payment.transactionUUID), payment);
      }
      return copy(payment);
    },
    cancelScheduledPayment(instructionId, reason = 'sandbox cancellation') {
      const payment = endScheduledPayment(state, instructionId, 'CANCELLED');
      payment.cancellationReason = reason;
      return copy(payment);
    },
    createTestJourney(options = {}) {
      return describeJourney(state, findTransaction(state, createTestJourney(state, options)));
    },
    hideTransaction: (uuid) => hideTransaction(state, uuid),
    failScheduledPayment: (instructionId) => copy(endScheduledPayment(state, instructionId, 'FAILED')),
    notify(payload, query = '') {
      assertNotNestedTooDeeply(payload);
      const { transactionUUID, saleToken } = payload as Readonly<Record<string, unknown>>;
      const about = [transactionUUID, saleToken].map(String).find((id) => state.transactions.has(id));
      state.notify({ kind: 'custom', query, payload, transactionUUID: about });
    },
  };
}

/** More levels than any documented notification has. `JSON.stringify` fails on a payload with thousands of them. */
const MAX_LEVELS = 100;

function assertNotNestedTooDeeply(payload: object): void {
  let level: object[] = [payload];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) {
      throw new SandboxError('invalid', `Expected a payload that is nested up to ${MAX_LEVELS} levels deep.`);
    }
    level = level.flatMap((value) => Object.values(value).filter(hasLevels));
  }
}

/** Whether a value adds a level: an object or a list. */
function hasLevels(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function copy<RecordType extends object>(record: RecordType): RecordType {
  return { ...record };
}
