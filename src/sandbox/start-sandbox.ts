import { createServer, type Server } from 'node:http';
import { httpSend } from './delivery/http-send';
import { realTimers } from './delivery/real-timers';
import { redactor } from './redact';
import type { Sandbox, SandboxLogEntry, SandboxOptions } from './sandbox';
import { listen, serve } from './server/http-server';
import { createService, resolveService } from './service';

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
 *
 * @throws `ConfigurationError` for an option that cannot work; the platform's error when it cannot listen there
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1' } = options;
  const settings = resolveService(options);
  const { credentials } = settings;
  const log = quietly(options.log);

  const server = createServer();
  const url = await listen(server, port, host);
  const { model, faults, deliveryLog, controls } = createService(settings, {
    baseUrl: options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? url,
    now: options.now,
    timers: realTimers,
    send: httpSend,
    onAttempt: ({ payload: _, ...delivery }, attempt) => log({ type: 'delivery', delivery, attempt }),
  });

  const redact = redactor(credentials);
  serve(server, {
    controls,
    model,
    faults,
    log: (entry) => log(entry.type === 'request' ? { ...entry, path: redact(entry.path) } : entry),
  });
  return Object.assign(controls, {
    url,
    credentials,
    async close() {
      await Promise.all([stop(server), deliveryLog.close()]);
    },
  });
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
