/**
 * A local sandbox of the service, for development and tests. No entry point for production loads any of it.
 *
 * @module pix-automatic-sdk/sandbox
 */

export type { Delivery, DeliveryAttempt } from './delivery/delivery';
export type { Fault, PendingFault } from './faults';
export { type Inventions, inventionTable } from './inventions';
export type { SandboxTransaction } from './model/moves';
export type {
  SandboxChargeTry,
  SandboxPayout,
  SandboxRefund,
  SandboxReversal,
  SandboxScheduledPayment,
} from './model/records';
export { type IdSource, SandboxError, sequentialIds } from './model/records';
export type { SandboxRecurrence } from './model/recurrence';
export { type Sandbox, type SandboxOptions, startSandbox } from './start-sandbox';
