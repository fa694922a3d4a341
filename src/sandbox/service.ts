import { ConfigurationError } from '../errors';
import type { Credentials } from '../service/credentials';
import { LONGEST_TIMER_MS } from '../shared/time';
import { assertCredentials } from '../values/credentials';
import { defaultCredentials, isDefaultPair, redactJson, redactor } from './credentials';
import type { Delivery, DeliveryAttempt, Send, SendOptions } from './delivery/delivery';
import { atMost } from './delivery/delivery';
import { DeliveryLog, type Timers } from './delivery/delivery-log';
import { checkWebhookUrl, listenerUrl, type WebhookUrl } from './delivery/listener-url';
import { FaultQueue } from './faults';
import { type Inventions, resolveInventions } from './inventions';
import type { IdSource } from './model/records';
import { ServiceModel } from './model/service-model';
import type { SandboxControls, ServiceOptions } from './sandbox';
import { playScenario } from './scenarios';

/** How many notifications are sent at the same time. */
const MAX_CONCURRENT_DELIVERIES = 64;

/** The options, checked and with their defaults. */
export interface ServiceSettings {
  readonly credentials: Credentials;
  readonly webhookUrl: WebhookUrl | undefined;
  readonly retryIntervalMs: number;
  readonly inventions: Inventions;
  readonly ids: IdSource | undefined;
}

/** What the service runs in: an HTTP server, or msw in a test. */
export interface ServiceHost {
  /** Where the service is reached. */
  readonly baseUrl: string;
  /** The clock of the date-times. Default: `Date.now`. */
  readonly now: (() => number) | undefined;
  /** The clock of the retries. */
  readonly timers: Timers;
  /** How notifications are sent. */
  readonly send: (options: SendOptions) => Send;
  readonly onAttempt?: ((delivery: Delivery, attempt: DeliveryAttempt) => void) | undefined;
}

/** The whole service, except for the way that calls come in. */
export interface Service {
  readonly model: ServiceModel;
  readonly faults: FaultQueue;
  readonly deliveryLog: DeliveryLog;
  readonly controls: SandboxControls;
}

/** @throws `ConfigurationError` for an option that cannot work, before anything is started */
export function resolveService(options: ServiceOptions): ServiceSettings {
  const { webhookUrl, retryIntervalMs = 60_000, ids } = options;
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
export function createService(settings: ServiceSettings, host: ServiceHost): Service {
  const { credentials, inventions, retryIntervalMs, ids } = settings;
  const { baseUrl, now, timers, send, onAttempt = () => {} } = host;
  let { webhookUrl } = settings;

  const redact = redactor(credentials);
  const deliveryLog = new DeliveryLog({
    send: atMost(MAX_CONCURRENT_DELIVERIES, send({ credentials, timeoutMs: inventions.deliveryTimeoutMs })),
    retryIntervalMs,
    timers,
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
    notify(notification) {
      const target = listenerUrl(webhookUrl, notification);
      if (target !== undefined) deliveryLog.deliver(notification, target);
    },
  });
  const faults = new FaultQueue();

  const controls: SandboxControls = {
    ...model.controls,
    get transactions() {
      return model.controls.transactions;
    },
    playScenario: (name, uuid, options) => playScenario(model, name, uuid, options),
    fault: (operation, fault) => faults.add(operation, fault),
    get pendingFaults() {
      return faults.pending;
    },
    clearFaults: (operation) => faults.clear(operation),
    get deliveries() {
      return deliveryLog.deliveries;
    },
    redeliver: (deliveryId) => deliveryLog.redeliver(deliveryId),
    get webhookUrl() {
      return webhookUrl;
    },
    setWebhookUrl(target) {
      checkWebhookUrl(target);
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
