import { ConfigurationError, type OperationName } from '../errors';
import type { Credentials } from '../service/credentials';
import { LONGEST_TIMER_MS } from '../shared/time';
import { assertCredentials } from '../values/credentials';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { defaultCredentials, isDefaultPair, redactJson, redactor } from './credentials';
import type { Delivery, DeliveryAttempt, Send, SendOptions } from './delivery/delivery';
import { atMost } from './delivery/delivery';
import { DeliveryLog, type Timers } from './delivery/delivery-log';
import { checkWebhookUrl, listenerProblem } from './delivery/listener-url';
import { type ClearedFaults, type Fault, FaultQueue, type PendingFault } from './faults';
import { type Inventions, resolveInventions } from './inventions';
import type { MoveControls } from './model/moves';
import { type IdSource, randomIds, SandboxError } from './model/records';
import { ServiceModel } from './model/service-model';

/** The options of a sandbox, over HTTP or in msw handlers. Everything has a default. */
export interface ServiceOptions {
  /**
   * Calls, control calls and notifications carry them. Default: a pair that everybody knows. With your own pair, the
   * sandbox's page asks for it too: API key as the user, API token as the password.
   */
  credentials?: Credentials | undefined;
  /** Where notifications go. Without it none is sent, until `setWebhookUrl`. */
  webhookUrl?: string | undefined;
  /** From a failed delivery to its retry, in milliseconds. Default 60 000, as in the document. */
  retryIntervalMs?: number | undefined;
  /** Rows of the table of inventions to change: what the document does not show. */
  inventions?: Partial<Inventions> | undefined;
  /** Where ids and UUIDs come from; `sequentialIds()` gives the same ones each time. Default: random UUIDs. */
  ids?: IdSource | undefined;
}

export const SERVICE_OPTIONS: OptionNames<ServiceOptions> = {
  credentials: true,
  webhookUrl: true,
  retryIntervalMs: true,
  inventions: true,
  ids: true,
};

/**
 * The control methods do what the payer, the bank and the service would do. Each changes the state at once and sends
 * the notification in the background (`idle` waits for it). They throw `SandboxError` when a call is not possible, and
 * `ConfigurationError` for an option that cannot work. A
 * running sandbox offers all but `idle` over HTTP too, under `/sandbox/` and with the same two credential headers:
 * `GET /sandbox` lists them.
 */
export interface SandboxControls extends MoveControls {
  /** Sets what goes wrong with the coming calls of an operation. Returns it with the id that removes it. */
  fault(operation: OperationName, fault: Fault): PendingFault;
  /** The faults that still wait for calls, in the order in which they apply. */
  readonly pendingFaults: readonly PendingFault[];
  /** Removes the faults that still wait for calls: all of them, those of one operation, or one by its id. */
  clearFaults(which?: OperationName | ClearedFaults): void;

  /** A snapshot of every notification with every attempt, the oldest first. */
  readonly deliveries: readonly Delivery[];
  /**
   * Sends a notification once more, now, to the listener's present URL and without retries. Your listener must not act on
   * it twice. One that was not sent for want of a URL is sent as any other.
   */
  redeliver(deliveryId: string): Promise<DeliveryAttempt>;
  /** Where notifications go; `undefined` when none are sent. */
  readonly webhookUrl: string | undefined;
  /** Sets where notifications go from now on; `undefined` sends none. */
  setWebhookUrl(webhookUrl: string | undefined): void;
  /** Resolves when no notification is being sent and none waits for a retry: after up to five retry intervals. */
  idle(): Promise<void>;
}

const CLEARED: OptionNames<ClearedFaults> = { operation: true, id: true };

/** How many notifications are sent at the same time. */
const MAX_CONCURRENT_DELIVERIES = 64;

/** The options, checked and with their defaults. */
export interface CoreSettings {
  readonly credentials: Credentials;
  readonly webhookUrl: string | undefined;
  readonly retryIntervalMs: number;
  readonly inventions: Inventions;
  readonly ids: IdSource;
}

/** What the service runs in: an HTTP server, or msw in a test. */
export interface CoreHost {
  /** Where the service is reached. */
  readonly baseUrl: string;
  /** The clock of the date-times. */
  readonly now: () => number;
  /** The clock of the retries. */
  readonly timers: Timers;
  /** Whether the first attempt waits for that clock, too. Default: it is made at once. */
  readonly waitsForTimers?: boolean;
  /** How notifications are sent. */
  readonly send: (options: SendOptions) => Send;
  readonly onAttempt: (delivery: Delivery, attempt: DeliveryAttempt) => void;
}

/** The whole service, except for the way that calls come in. */
export interface SandboxCore {
  readonly model: ServiceModel;
  readonly faults: FaultQueue;
  readonly deliveryLog: DeliveryLog;
  readonly controls: SandboxControls;
}

/** @throws `ConfigurationError` for an option that cannot work, before anything is started */
export function resolveSettings(options: ServiceOptions): CoreSettings {
  const { webhookUrl, retryIntervalMs = 60_000, ids = randomIds() } = options;
  const { apiKey, apiToken } = options.credentials ?? defaultCredentials;
  const credentials = { apiKey, apiToken };
  assertCredentials(credentials);
  checkWebhookUrl(webhookUrl);
  const inventions = resolveInventions(options.inventions);
  assertTimer('retryIntervalMs', retryIntervalMs);
  assertTimer('inventions.deliveryTimeoutMs', inventions.deliveryTimeoutMs);
  return { credentials, webhookUrl, retryIntervalMs, inventions, ids };
}

/** What the HTTP server and the msw handlers share: the model, its faults, deliveries and control methods. */
export function createCore(settings: CoreSettings, host: CoreHost): SandboxCore {
  const { credentials, inventions, retryIntervalMs, ids } = settings;
  const { baseUrl, now, timers, waitsForTimers = false, send, onAttempt } = host;
  let { webhookUrl } = settings;

  const redact = redactor(credentials);
  const deliveryLog = new DeliveryLog({
    send: atMost(MAX_CONCURRENT_DELIVERIES, send({ credentials, timeoutMs: inventions.deliveryTimeoutMs })),
    retryIntervalMs,
    timers,
    waitsForTimers,
    redact,
    // The default pair is no secret.
    redactPayload: (payload) =>
      isDefaultPair(credentials) ? payload : (redactJson(payload, redact) as object),
    onAttempt,
  });
  const model = new ServiceModel({
    credentials,
    baseUrl,
    inventions,
    now,
    ids,
    notify: (notification) => deliveryLog.deliver(notification, webhookUrl),
  });
  const faults = new FaultQueue();

  const controls: SandboxControls = {
    ...model.controls,
    get transactions() {
      return model.controls.transactions;
    },
    fault: (operation, fault) => faults.add(operation, fault),
    get pendingFaults() {
      return faults.pending;
    },
    clearFaults(which) {
      const chosen = typeof which === 'string' ? { operation: which } : which;
      faults.clear(readNamedOptions('clearFaults', chosen, CLEARED));
    },
    get deliveries() {
      return deliveryLog.deliveries;
    },
    redeliver: (deliveryId) => deliveryLog.redeliver(deliveryId, webhookUrl),
    get webhookUrl() {
      return webhookUrl;
    },
    setWebhookUrl(target) {
      const problem = listenerProblem(target);
      if (problem !== undefined) throw new SandboxError('invalid', ...problem);
      webhookUrl = target;
    },
    idle: () => deliveryLog.idle(),
  };
  return { model, faults, deliveryLog, controls };
}

function assertTimer(name: string, ms: number): void {
  if (ms >= 0 && ms <= LONGEST_TIMER_MS) return;
  throw new ConfigurationError(
    `Expected \`${name}\` to be 0 or more, and no longer than a timer can wait (about 24.8 days).`,
  );
}
