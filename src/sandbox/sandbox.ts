import type { OperationName } from '../errors';
import type { Credentials } from '../service/credentials';
import type { Delivery, DeliveryAttempt } from './delivery/delivery';
import type { WebhookUrl } from './delivery/listener-url';
import type { Fault, PendingFault } from './faults';
import type { Inventions } from './inventions';
import type { SandboxLogEntry } from './log';
import type { MoveControls } from './model/moves';
import type { IdSource } from './model/records';
import type { PlayedScenario, ScenarioName, ScenarioOptions } from './scenarios';

/** The options of a sandbox, over HTTP or in msw handlers. Everything has a default. */
export interface ServiceOptions {
  /**
   * Calls, control calls and notifications carry them. Default: a pair that everybody knows. With your own pair, the
   * sandbox's page asks for it too: API key as the user, API token as the password.
   */
  credentials?: Credentials | undefined;
  /** Where notifications go. Without it none is sent, until `setWebhookUrl`. */
  webhookUrl?: WebhookUrl | undefined;
  /** From a failed delivery to its retry, in milliseconds. Default 60 000, as in the document. */
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
  /**
   * Default `127.0.0.1`: only this machine reaches it. Any other host needs your own `credentials`, which the page
   * then asks for.
   */
  host?: string | undefined;
  /**
   * The URL by which others reach the sandbox, behind a tunnel or in a container: QR code URLs begin with it, and calls
   * to its host name are answered. Default: `url`. Calls to other names are refused with 421, except for loopback and
   * `host`. A URL beyond loopback needs your own `credentials`, which the page then asks for.
   */
  publicUrl?: string | undefined;
  /** The service's clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined;
  /** Called after each request and each delivery attempt. Its entries hold neither bodies nor credentials. */
  log?: ((entry: SandboxLogEntry) => void) | undefined;
}

/** A running sandbox. */
export interface Sandbox extends SandboxControls {
  /** Base URL for `PaymentsClient`. */
  readonly url: string;
  /** Calls and notifications carry them: those of the options, or the default pair. */
  readonly credentials: Credentials;
  /** Stops everything: connections, deliveries, timers. */
  close(): Promise<void>;
}

/**
 * The control methods do what the payer, the bank and the service would do. Each changes the state at once and sends
 * the notification in the background (`idle` waits for it). They throw `SandboxError` when a call is not possible. A
 * running sandbox offers all but `idle` over HTTP too, under `/sandbox/` and with the same two credential headers:
 * `GET /sandbox` lists them.
 */
export interface SandboxControls extends MoveControls {
  /**
   * Plays a scenario on a journey: `happy-year`, `no-funds-three-times` or `payer-cancels`. Its notifications are
   * invented, and say so. All of them go out at once, or only one with `step`. A journey that is not paid is paid
   * first. Missing payments of the scenario are scheduled, up to the journey's last date.
   */
  playScenario(name: ScenarioName, transactionUUID: string, options?: ScenarioOptions): PlayedScenario;

  /** Sets what goes wrong with the coming calls of an operation. */
  fault(operation: OperationName, fault: Fault): void;
  /** The faults that still wait for calls, in the order in which they apply. */
  readonly pendingFaults: readonly PendingFault[];
  /** Removes the faults that still wait for calls: all of them, or those of one operation. */
  clearFaults(operation?: OperationName): void;

  /** A snapshot of every notification with every attempt, the oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Sends a notification once more, now, without retries. Your listener must not act on it twice. */
  redeliver(deliveryId: string): Promise<DeliveryAttempt>;
  /** Where notifications go; `undefined` when none are sent. */
  readonly webhookUrl: WebhookUrl | undefined;
  /** Sets where notifications go from now on; `undefined` sends none. */
  setWebhookUrl(webhookUrl: WebhookUrl | undefined): void;
  /** Resolves when no notification is being sent and none waits for a retry: after up to five retry intervals. */
  idle(): Promise<void>;
}
