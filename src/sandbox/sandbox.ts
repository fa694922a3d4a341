import type { OperationName } from '../errors';
import type { Credentials } from '../service/credentials';
import type { Delivery, DeliveryAttempt } from './delivery/delivery';
import type { WebhookUrl } from './delivery/listener-url';
import type { Inventions } from './inventions';
import type { SandboxLogEntry } from './log';
import type { MoveControls } from './model/controls';
import type { Fault } from './model/fault-queue';
import type { IdSource } from './model/state';
import type { PlayedScenario, ScenarioName, ScenarioOptions } from './scenarios';

/** What the sandbox is like, however calls reach it. Everything has a default. */
export interface ServiceOptions {
  /**
   * What calls and control calls must carry, and notifications do. Default: a pair that is plainly a sandbox's. With a
   * pair of your own, the sandbox's page asks for it too: API key as the user, API token as the password.
   */
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
  /**
   * Default `127.0.0.1`: only this machine reaches it. Any other needs `credentials` of your own, which the page then
   * asks for.
   */
  host?: string | undefined;
  /**
   * The URL by which others reach the sandbox, behind a tunnel or in a container: QR codes begin with it, and calls to
   * its host name are answered. Default: `url`; calls to any other name are refused with 421. One beyond loopback needs
   * `credentials` of your own, which the page then asks for.
   */
  publicUrl?: string | undefined;
  /** The service's clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined;
  /** Called with each request answered and each delivery tried. Neither bodies nor credentials are in it. */
  log?: ((entry: SandboxLogEntry) => void) | undefined;
}

/** A running sandbox. */
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
 * each has an HTTP form under `/sandbox/`, which needs the same two credential headers: `GET /sandbox` lists them.
 */
export interface SandboxControls extends MoveControls {
  /**
   * Plays a story on a journey: `happy-year`, `no-funds-three-times` or `payer-cancels`. Its notifications are invented,
   * and say so. All of them go out at once; with `step`, one. A journey that is not paid is paid first, and payments
   * that the story needs are scheduled, up to the journey's last date.
   */
  playScenario(name: ScenarioName, transactionUUID: string, options?: ScenarioOptions): PlayedScenario;

  /** What goes wrong with coming calls of an operation. */
  fault(operation: OperationName, fault: Fault): void;
  /** Takes back the faults that no call has met yet: all of them, or those of one operation. */
  clearFaults(operation?: OperationName): void;

  /** Every notification with every attempt, the oldest first: a picture of this moment. */
  readonly deliveries: readonly Delivery[];
  /** Sends a notification once more, now, without retries. Your listener must not act on it twice. */
  redeliver(deliveryId: string): Promise<DeliveryAttempt>;
  /** Where notifications go; `undefined` for nowhere. */
  readonly webhookUrl: WebhookUrl | undefined;
  /** Where notifications go from now on; `undefined` for nowhere. */
  setWebhookUrl(webhookUrl: WebhookUrl | undefined): void;
  /** Resolves when no notification is on its way and none waits for a retry: after up to five retry intervals. */
  idle(): Promise<void>;
}
