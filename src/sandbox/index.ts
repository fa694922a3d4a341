/**
 * A local sandbox of the service, for development and tests. No entry point for production loads any of it.
 *
 * @module pix-automatic-sdk/sandbox
 */

export type { Delivery, DeliveryAttempt } from './delivery/delivery';
export type { WebhookUrl } from './delivery/listener-url';
export { type InventedAnswer, type Invention, type Inventions, inventionTable } from './inventions';
export type { SandboxLogEntry } from './log';
export type { Fault, FaultKind, PendingFault } from './model/fault-queue';
export type { PayOutOptions } from './model/payout';
export type {
  SandboxNotification,
  SandboxPayout,
  SandboxRefund,
  SandboxReversal,
  SandboxScheduledPayment,
} from './model/records';
export type { RefundOptions } from './model/refund';
export type { ReturnOptions } from './model/returns';
export type { ReversalOptions } from './model/reversal';
export { SandboxError } from './model/sandbox-error';
export { type IdSource, sequentialIds } from './model/state';
export type { TestJourneyOptions } from './model/test-journey';
export type { SandboxTransaction } from './model/transactions';
export type { Sandbox, SandboxOptions } from './sandbox';
export type { PlayedScenario, ScenarioName, ScenarioNotification, ScenarioOptions } from './scenarios';
export { startSandbox } from './start-sandbox';
