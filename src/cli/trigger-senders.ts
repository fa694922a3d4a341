import { redactor } from '../sandbox/credentials';
import { listenerUrl } from '../sandbox/delivery/listener-url';
import { type NotificationAnswer, postNotification } from '../sandbox/delivery/post-notification';
import type { SandboxNotification } from '../sandbox/model/records';
import { LONGEST_TIMER_MS } from '../shared/time';
import { basicAuthorization } from '../webhooks/authorization';
import { type ChosenCredentials, credentialsFromEnvironment, parseTarget } from './credentials';
import { CliFailure, usageFailure } from './failure';
import { DEFAULT_SANDBOX, type Options } from './options';
import { connectSandbox, type SandboxClient } from './sandbox-client';

/** How `trigger` gets a notification to the listener. */
export interface Sender {
  /** Where it goes, for the report. */
  readonly to: string;
  readonly source: ChosenCredentials['source'];
  /** Removes the credentials from what the listener answered. */
  readonly redact: (text: string) => string;
  send(kind: SandboxNotification['kind'], query: string, payload: unknown): Promise<NotificationAnswer>;
}

/** Sends straight to `--to`. Without it, sends through the running sandbox to the sandbox's listener. */
export function chooseSender(options: Options): Sender {
  const timeoutMs = options.integer('timeout', { least: 1, most: LONGEST_TIMER_MS, otherwise: 30_000 });
  const to = options.text('to');
  if (to === undefined) return throughSandbox(options);
  if (options.has('sandbox')) throw usageFailure('Expected `--to` or `--sandbox`, not both.');
  const target = parseTarget('--to', to, { allowInsecureHttp: options.has('allow-insecure-http') });
  const { credentials, source } = credentialsFromEnvironment(target.isDevelopment);
  const authorization = basicAuthorization(credentials);
  const redact = redactor(credentials);
  return {
    to: redact(target.url),
    source,
    redact,
    send(kind, query, payload) {
      const url = listenerUrl(target.url, { kind, query }) ?? target.url;
      return postNotification({ url, body: JSON.stringify(payload), authorization, timeoutMs });
    },
  };
}

function throughSandbox(options: Options): Sender {
  const sandbox = connectSandbox(options);
  return {
    to: `the listener of the sandbox at ${options.text('sandbox') ?? DEFAULT_SANDBOX}`,
    source: credentialsFromEnvironment(true).source,
    redact: (text) => text,
    send: (_kind, query, payload) => sendThrough(sandbox, query, payload),
  };
}

async function sendThrough(
  sandbox: SandboxClient,
  query: string,
  payload: unknown,
): Promise<NotificationAnswer> {
  const { deliveries } = await sandbox.move('POST', '/sandbox/notifications', { payload, query });
  const delivery = deliveries[0];
  if (delivery === undefined) {
    throw new CliFailure(
      1,
      'The sandbox has no listener: pass `--to`, or start the sandbox with `--webhook-url`.',
    );
  }
  const attempt = delivery.attempts[0];
  const { httpStatus, error, durationMs = 0 } = attempt ?? { error: 'timeout' };
  return { httpStatus, error, durationMs, text: '' };
}
