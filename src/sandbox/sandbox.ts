import type { OperationName } from '../errors';
import type { Credentials } from '../schemas/credentials';
import type { Delivery, DeliveryAttempt } from './delivery/delivery';
import type { WebhookUrl } from './delivery/listener-url';
import type { Inventions } from './inventions';
import type { Fault } from './model/fault-queue';
import type { IdSource } from './model/ids';
import type { RefundOptions, ReturnOptions } from './model/moves';
import type { PayOutOptions } from './model/pay-out';
import type { SandboxPayout, SandboxRefund, SandboxReversal, SandboxScheduledPayment } from './model/records';

/** What the stand-in is like, however calls reach it. Everything has a default. */
export interface ServiceOptions {
  /** What calls and control calls must carry, and notifications do. Default: a pair that is plainly a sandbox's. */
  credentials?: Credentials | undefined;
  /** Where notifications go. Without it none is sent, until `setWebhookUrl`. */
  webhookUrl?: WebhookUrl | undefined;
  /** From a failed delivery to its retry, in milliseconds. Default 60 000, as the document has it. */
  retryIntervalMs?: number | undefined;
  /** Rows of the table of inventions to change: what the document does not show. */
  inventions?: Partial<Inventions> | undefined;
  /** Where ids and UUIDs come from; `sequentialIds()` gives the same ones each time. Default: random UUIDs. */
  ids?: IdSource | undefined;
}

/** How a sandbox is started. Everything has a default. */
export interface SandboxOptions extends ServiceOptions {
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Default `127.0.0.1`: only this machine reaches it. */
  host?: string | undefined;
  /** What the URL of QR codes begins with, when others reach the sandbox by another name. Default: `url`. */
  publicUrl?: string | undefined;
  /** The service's clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined;
  /** Called with each request answered and each delivery tried. Neither bodies nor credentials are in it. */
  log?: ((entry: SandboxLogEntry) => void) | undefined;
}

/** A line of the sandbox's log. */
export type SandboxLogEntry =
  | {
      /** A call of an operation, or a control call. */
      readonly type: 'request';
      /** The HTTP method. */
      readonly method: string;
      /** Without its query. */
      readonly path: string;
      /** `undefined` for a control call, or a path that is none of the document's. */
      readonly operation: OperationName | undefined;
      /** `undefined` when a fault, or the caller, ended the connection. */
      readonly status: number | undefined;
      /** The fault that it met, if any. */
      readonly fault: Fault['kind'] | undefined;
      /** From the request to the end of the answer, in milliseconds. */
      readonly durationMs: number;
    }
  | {
      /** An attempt to deliver a notification. */
      readonly type: 'delivery';
      /** Without the payload, which holds personal data; `deliveries` has it. */
      readonly delivery: Omit<Delivery, 'payload'>;
      /** How the attempt ended. */
      readonly attempt: DeliveryAttempt;
    };

/** A running stand-in for the service. */
export interface Sandbox extends SandboxControls {
  /** Base URL for `PaymentsClient`. */
  readonly url: string;
  /** What calls must carry, and notifications do: those of the options, or a pair that is plainly a sandbox's. */
  readonly credentials: Credentials;
  /** Stops everything: connections, deliveries, timers. */
  close(): Promise<void>;
}

/**
 * The control methods make happen what the outside world would: each changes the state at once and sends the
 * notification in the background (`idle` waits for it). They throw `SandboxError` for what cannot be. Of a sandbox,
 * each has an HTTP form under `/sandbox/`, which needs the same two credential headers.
 */
export interface SandboxControls {
  /**
   * The payer pays: the transaction is `PAID`, and the payment notification goes out.
   *
   * @returns the payments that are now scheduled: the sandbox's own invention, for `cancelScheduledPayment` to cancel.
   */
  pay(transactionUUID: string): SandboxScheduledPayment[];
  /** The transaction becomes `CANCELLED`. An invention: the document shows no move that does it, nor a notification. */
  cancelTransaction(transactionUUID: string): void;
  /** The service begins to return the funds: a reversal that is `PENDING`, and its notification. */
  reverse(transactionUUID: string, options?: ReturnOptions): SandboxReversal;
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
  /** A scheduled payment is charged; it cannot be cancelled any more. Sends nothing: the document does not show what. */
  payScheduledPayment(instructionId: string): SandboxScheduledPayment;
  /**
   * Sends a payload of yours, such as a notification of the recurring journey that you have seen: the document says
   * that they exist and does not show them, and the sandbox makes none up.
   *
   * @param query - flags for the query of the listener's URL, such as `type=recurrence`.
   */
  notify(payload: object, query?: string): void;

  /** What goes wrong with coming calls of an operation. */
  fault(operation: OperationName, fault: Fault): void;
  /** Takes back the faults that no call has met yet. */
  clearFaults(): void;

  /** Every notification with every attempt, the oldest first: a picture of this moment. */
  readonly deliveries: readonly Delivery[];
  /** Sends a notification once more, now, without retries. Your listener must not act on it twice. */
  redeliver(deliveryId: string): Promise<DeliveryAttempt>;
  /** Where notifications go from now on; `undefined` for nowhere. */
  setWebhookUrl(webhookUrl: WebhookUrl | undefined): void;
  /** Resolves when no notification is on its way and none waits for a retry: after up to five retry intervals. */
  idle(): Promise<void>;
}
