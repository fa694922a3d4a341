import { brCode } from './br-code';
import { refundTotals } from './get-transaction';
import type { SandboxReversal, SandboxScheduledPayment, TransactionRecord } from './records';
import type { ServiceState } from './state';

/** A journey as the sandbox lists it. */
export interface SandboxTransaction {
  /** Transaction UUID: `response.uuid` of the journey, and `saleToken` of its notifications. */
  readonly uuid: string;
  /** Your order identifier. */
  readonly referenceCode: string;
  /** `PENDING` until it is paid or cancelled (document section 2.3). */
  readonly situation: 'PENDING' | 'CANCELLED' | 'PAID';
  /** In the currency's main unit. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Sum of its refunds, in the currency's main unit; missing when there is none. */
  readonly refunded?: number;
  /** By due date; empty until it is paid. Invented: the document shows nothing of them but their instruction ids. */
  readonly scheduledPayments: readonly SandboxScheduledPayment[];
  /** Funds on their way back to the payer, the oldest first. */
  readonly reversals: readonly SandboxReversal[];
  /** The text of its QR code, to copy and paste. */
  readonly qrCodeText: string;
}

/** A copy of what is known of a journey. */
export function describeJourney(state: ServiceState, transaction: TransactionRecord): SandboxTransaction {
  const { uuid, referenceCode, situation, amount, currency, createdAt } = transaction;
  const { requested, quantity } = refundTotals(transaction);
  return {
    uuid,
    referenceCode,
    situation,
    amount,
    currency,
    createdAt: new Date(createdAt).toISOString(),
    ...(quantity === 0 ? {} : { refunded: requested }),
    scheduledPayments: transaction.scheduledPayments.map((payment) => ({ ...payment })),
    reversals: transaction.reversals.map((reversal) => ({ ...reversal })),
    qrCodeText: brCode(transaction, state.inventions.qrCodeMerchant),
  };
}
