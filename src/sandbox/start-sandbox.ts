import { createServer, type Server } from 'node:http';
import { ConfigurationError } from '../errors';
import { assertCredentials } from '../schemas/credentials';
import { atMost } from './delivery/at-most';
import { DeliveryLog } from './delivery/delivery-log';
import { httpSend } from './delivery/http-send';
import { checkWebhookUrl, listenerUrl } from './delivery/listener-url';
import { resolveInventions } from './inventions';
import { FaultQueue } from './model/fault-queue';
import { ServiceModel } from './model/service-model';
import { redactor } from './redact';
import type { Sandbox, SandboxLogEntry, SandboxOptions } from './sandbox';
import { listen, serve } from './server/http-server';

/** Notifications under way at a time. */
const MAX_CONCURRENT_DELIVERIES = 64;

const defaultCredentials = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };

/**
 * Starts a stand-in for the service on this machine: a real HTTP server, with the three operations of the document,
 * notifications, and control methods for what the outside world would do. Close it when you are done.
 *
 * @example
 * const sandbox = await startSandbox({ webhookUrl: 'http://127.0.0.1:3000/webhooks' });
 * const client = new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials });
 * const { response } = await client.createRecurringCheckout(order);
 * sandbox.pay(response.uuid);
 * await sandbox.idle(); // your listener has been notified
 * await sandbox.close();
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', retryIntervalMs = 60_000 } = options;
  const { apiKey, apiToken } = options.credentials ?? defaultCredentials;
  const credentials = { apiKey, apiToken };
  let { webhookUrl } = options;
  assertCredentials(credentials);
  checkWebhookUrl(webhookUrl);

  const inventions = resolveInventions(options.inventions);
  assertTimer('retryIntervalMs', retryIntervalMs);
  assertTimer('inventions.deliveryTimeoutMs', inventions.deliveryTimeoutMs);
  const redact = redactor(credentials);
  const log = quietly(options.log);
  const deliveryLog = new DeliveryLog({
    send: atMost(
      MAX_CONCURRENT_DELIVERIES,
      httpSend({ credentials, timeoutMs: inventions.deliveryTimeoutMs }),
    ),
    retryIntervalMs,
    timers: { now: Date.now, set: setTimeout, clear: (timer) => clearTimeout(timer as NodeJS.Timeout) },
    redact,
    onAttempt: (delivery, attempt) => log({ type: 'delivery', delivery, attempt }),
  });

  const server = createServer();
  const url = await listen(server, port, host);
  const model = new ServiceModel({
    credentials,
    baseUrl: options.publicUrl?.replace(/\/+$/, '') ?? url,
    inventions,
    now: options.now,
    ids: options.ids,
    notify(notification) {
      const target = listenerUrl(webhookUrl, notification);
      if (target !== undefined) deliveryLog.deliver(notification, target);
    },
  });
  const faults = new FaultQueue();

  const sandbox: Sandbox = {
    url,
    credentials,
    pay: (uuid) => model.pay(uuid),
    cancelTransaction: (uuid) => model.cancelTransaction(uuid),
    reverse: (uuid, returnOptions) => model.reverse(uuid, returnOptions),
    completeReversal: (uuid) => model.completeReversal(uuid),
    cancelReversal: (uuid) => model.cancelReversal(uuid),
    refund: (uuid, refundOptions) => model.refund(uuid, refundOptions),
    payOut: (payOutOptions) => model.payOut(payOutOptions),
    scheduledPayments: (uuid) => model.scheduledPayments(uuid),
    payScheduledPayment: (instructionId) => model.payScheduledPayment(instructionId),
    notify: (payload, query) => model.notify(payload, query),
    fault: (operation, fault) => faults.add(operation, fault),
    clearFaults: () => faults.clear(),
    get deliveries() {
      return deliveryLog.deliveries;
    },
    redeliver: (deliveryId) => deliveryLog.redeliver(deliveryId),
    setWebhookUrl(target) {
      checkWebhookUrl(target);
      webhookUrl = target;
    },
    idle: () => deliveryLog.idle(),
    async close() {
      await Promise.all([stop(server), deliveryLog.close()]);
    },
  };
  serve(server, {
    sandbox,
    model,
    faults,
    log: (entry) => log(entry.type === 'request' ? { ...entry, path: redact(entry.path) } : entry),
  });
  return sandbox;
}

/** Timers take 32 bits: a longer time would fire at once. */
function assertTimer(name: string, ms: number): void {
  if (ms >= 0 && ms < 2 ** 31) return;
  throw new ConfigurationError(`Expected \`${name}\` to be milliseconds, from 0 to what a timer can take.`);
}

/** A log that throws must not take the sandbox with it. */
function quietly(log: SandboxOptions['log']): (entry: SandboxLogEntry) => void {
  return (entry) => {
    try {
      log?.(entry);
    } catch {
      // What is lost is a line of the caller's own log.
    }
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Closing twice is no failure.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
