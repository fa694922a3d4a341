/**
 * A local sandbox of the service, for development and tests. No entry point for production loads any of it.
 *
 * @module pix-automatic-sdk/sandbox
 */

export type { Delivery, DeliveryAttempt } from './delivery/delivery';
export type { Fault, FaultKind, PendingFault } from './faults';
export { type InventedAnswer, type Invention, type Inventions, inventionTable } from './inventions';
export type { SandboxLogEntry } from './log';
export type {
  PayOutOptions,
  RefundOptions,
  ReturnOptions,
  ReversalOptions,
  SandboxTransaction,
  TestJourneyOptions,
} from './model/moves';
export type {
  SandboxNotification,
  SandboxPayout,
  SandboxRefund,
  SandboxReversal,
  SandboxScheduledPayment,
} from './model/records';
export { type IdSource, SandboxError, sequentialIds } from './model/records';
export { type Sandbox, type SandboxOptions, startSandbox } from './start-sandbox';
