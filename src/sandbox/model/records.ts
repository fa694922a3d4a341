import type { CheckoutRequestShopper } from '../../schemas/checkout-request';
import type { PayoutErrorCode } from '../../schemas/notifications/payout';
import type { BankDetails } from '../../schemas/shared';

/** A transaction as the model keeps it. What is only shown, such as the QR code, is made when it is asked for. */
export interface TransactionRecord {
  readonly id: number;
  readonly uuid: string;
  readonly saleCode: string;
  readonly referenceCode: string;
  readonly currency: string;
  readonly amount: number;
  readonly recurrenceAmount: number;
  /** First and last date of the recurrence, where the request has them. */
  readonly initialDate: string | undefined;
  readonly finalDate: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly shopper: CheckoutRequestShopper;
  situation: 'PENDING' | 'CANCELLED' | 'PAID';
  readonly refunds: SandboxRefund[];
  readonly scheduledPayments: SandboxScheduledPayment[];
}

/** One payment of a recurrence. The document shows nothing of it but its instruction id: the rest is invented. */
export interface SandboxScheduledPayment {
  /** What `cancelScheduledPayment` takes. */
  readonly instructionId: string;
  /** The journey it belongs to. */
  readonly transactionUUID: string;
  /** `yyyy-MM-dd`. */
  readonly dueDate: string;
  readonly amount: number;
  status: 'SCHEDULED' | 'PAID' | 'CANCELLED';
  /** The reason given, once it is `CANCELLED`. */
  cancellationReason?: string;
}

/** A refund; it is credited at once. */
export interface SandboxRefund {
  readonly id: number;
  readonly uuid: string;
  readonly transactionUUID: string;
  readonly amount: number;
  readonly reason: string;
  readonly receipt: string | null;
  readonly bankDetails: BankDetails;
  readonly status: 'PAID';
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creditDate: string;
}

/** Funds on their way back to a payer. */
export interface SandboxReversal {
  readonly id: number;
  readonly uuid: string;
  readonly transactionUUID: string;
  readonly amount: number;
  readonly reason: string;
  readonly bankDetails: BankDetails;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  status: 'PENDING' | 'PAID' | 'CANCELLED';
  /** `null` until it is `PAID`. */
  receipt: string | null;
}

/** A payout, made or failed. */
export interface SandboxPayout {
  readonly id: number;
  readonly uuid: string;
  readonly currency: string;
  readonly amount: number;
  readonly referenceCode: string | undefined;
  readonly bankDetails: BankDetails;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  readonly success: boolean;
  readonly status: 'PAID' | 'PENDING' | 'FAILED';
  readonly errorCode: PayoutErrorCode | undefined;
  readonly message: string;
  readonly receipt: string | undefined;
}

/** What the sandbox tells the merchant's listener. */
export interface SandboxNotification {
  readonly kind: 'payment' | 'saleStatus' | 'reversal' | 'refund' | 'payout' | 'custom';
  /** The flags that go into the query of the listener's URL, such as `refund=true&type=refund`. */
  readonly query: string;
  readonly payload: object;
}
