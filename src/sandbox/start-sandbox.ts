import { createServer, type Server } from 'node:http';
import { ConfigurationError } from '../errors';
import type { Credentials } from '../service/credentials';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import {
  createCore,
  resolveSettings,
  type SandboxControls,
  SERVICE_OPTIONS,
  type ServiceOptions,
} from './core';
import { isDefaultPair, redactJson, redactor } from './credentials';
import { realTimers } from './delivery/delivery-log';
import { httpSend } from './delivery/post-notification';
import { eventTypeOf, journeyOfPayload, type SandboxLogEntry, withoutThrowing } from './log';
import { CallLog } from './page/call-log';
import { PageData, type Verify } from './page/page-state';
import { isBlockedPort } from './server/blocked-ports';
import { listen, serve } from './server/http-server';
import { PageToken, pageCredentialsFor } from './server/page-access';

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

const NAMES: OptionNames<SandboxOptions> = {
  ...SERVICE_OPTIONS,
  port: true,
  host: true,
  publicUrl: true,
  now: true,
  log: true,
};

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
 * Starts a local sandbox of the service on this machine: a real HTTP server, with the operations of the document,
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
 * @throws `ConfigurationError` for an option that cannot work, such as a `host` or `publicUrl` beyond loopback with
 *   the default `credentials`, which everybody knows; the error of Node when it cannot listen there
 */
export function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandboxWith(options, {});
}

/** What only the command line passes: `startSandbox` has no checklist. */
export interface SandboxExtras {
  /** What the page's `verify` button runs; without it there is no button. */
  readonly verify?: Verify | undefined;
}

/** Starts a sandbox for the command line. */
export async function startSandboxWith(given: SandboxOptions, { verify }: SandboxExtras): Promise<Sandbox> {
  const options = readNamedOptions('startSandbox', given, NAMES);
  const { port = 0, host = '127.0.0.1', publicUrl } = options;
  const settings = resolveSettings(options);
  const { credentials } = settings;
  const reach = { host, publicUrl };
  const pageCredentials = pageCredentialsFor(credentials, reach);
  if (isBlockedPort(port)) {
    throw new ConfigurationError('Expected another `port`: `fetch` and browsers refuse to call this one.');
  }
  const log = withoutThrowing(options.log);
  const redact = redactor(credentials);
  const isDefault = isDefaultPair(credentials);
  const show = <Value extends object>(value: Value): Value =>
    isDefault ? value : (redactJson(value, redact) as Value);

  const server = createServer();
  const url = await listen(server, port, host);
  const core = createCore(settings, {
    baseUrl: publicUrl?.replace(/(?<!\/)\/+$/, '') ?? url,
    now: options.now ?? Date.now,
    timers: realTimers,
    send: httpSend,
    onAttempt: ({ payload, ...delivery }, attempt) =>
      log({
        type: 'delivery',
        delivery,
        attempt,
        eventType: eventTypeOf(payload, redact),
        ...journeyOfPayload(payload, redact),
      }),
  });

  const calls = new CallLog();
  const pageSettings = {
    url,
    defaultCredentials: isDefault ? credentials : undefined,
    canVerify: verify !== undefined,
  };
  serve(server, {
    ...core,
    url,
    credentials,
    reach,
    page: {
      token: new PageToken(),
      data: new PageData(core, calls, pageSettings, show),
      verify,
      pageCredentials,
    },
    calls,
    redact,
    show,
    log,
  });
  return Object.assign(core.controls, {
    url,
    credentials,
    async close() {
      await Promise.all([stop(server), core.deliveryLog.close()]);
    },
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A second `close` is no failure: ignore the error that it gets here.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
