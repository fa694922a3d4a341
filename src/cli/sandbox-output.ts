import { isLoopback } from '../client/base-url';
import { redactor } from '../sandbox/credentials';
import type { SandboxLogEntry } from '../sandbox/log';
import type { Sandbox } from '../sandbox/sandbox';
import { PROGRAM } from './command';
import type { ChosenCredentials } from './credentials';
import { DEFAULT_SANDBOX } from './options';
import { paint, paintAnswer, visible } from './output';

/** What is printed once the sandbox has started. */
export function welcome(
  { url, credentials }: Sandbox,
  { source }: ChosenCredentials,
  webhookUrl: string | undefined,
  host: string | undefined,
): string {
  const pair =
    source === 'environment'
      ? ['  # PAYMENTS_API_KEY and PAYMENTS_API_TOKEN: the same as here']
      : [
          `  PAYMENTS_API_KEY=${credentials.apiKey}`,
          `  PAYMENTS_API_TOKEN=${credentials.apiToken}  ${paint('dim', "# the sandbox's own pair, no secret")}`,
        ];
  // A pair from the environment may be secret, so the page asks for it even on this machine.
  const page =
    source === 'environment'
      ? ['Its page asks for the same pair: the key as user name, the token as password.']
      : [];
  const network =
    host === undefined || isLoopback(host.includes(':') ? `[${host}]` : host)
      ? []
      : [
          `${paint('yellow', `It is open to the network, because of --host ${visible(host)}:`)} whoever reaches this machine and has the pair`,
          'can use it, and can read everything in it.',
        ];
  return [
    `${paint('bold', 'The sandbox is up:')} ${url}`,
    ...network,
    ...page,
    '',
    'Point PaymentsClient.fromEnv() at it:',
    `  PAYMENTS_BASE_URL=${url}`,
    ...pair,
    '',
    webhookUrl === undefined
      ? 'Notifications go nowhere yet: pass --webhook-url, or set a listener on its page.'
      : `Notifications go to ${redactor(credentials)(webhookUrl)}`,
    '',
    'Once your client has created a journey, in another terminal:',
    `  npx ${PROGRAM} pay${sandboxArgument(url)}`,
    paint('dim', `  also: refund, reverse, pay-out, list, resend, fault. See npx ${PROGRAM} --help`),
    '',
    paint('dim', 'Ctrl+C ends it.'),
    '',
  ].join('\n');
}

/** The option with which other commands find a sandbox that is not at the default URL. */
function sandboxArgument(url: string): string {
  return url === DEFAULT_SANDBOX ? '' : ` --sandbox ${url}`;
}

type DeliveryEntry = Extract<SandboxLogEntry, { type: 'delivery' }>;
type RequestEntry = Extract<SandboxLogEntry, { type: 'request' }>;

/** A log line for people. */
export function logLine(entry: SandboxLogEntry, retryIntervalMs: number): string {
  const time = paint('dim', new Date().toTimeString().slice(0, 8));
  return `${time}  ${entry.type === 'request' ? requestLine(entry) : deliveryLine(entry, retryIntervalMs)}`;
}

/** A line of NDJSON. The payload is left out: it may hold personal data, and `GET /sandbox/deliveries` has it. */
export function logRecord(entry: SandboxLogEntry): object {
  const time = new Date().toISOString();
  if (entry.type === 'request') return { time, ...entry };
  const { type, delivery, attempt, uuid, referenceCode } = entry;
  const { id, kind, url, status } = delivery;
  return { time, type, delivery: { id, kind, url, status }, attempt, uuid, referenceCode };
}

function requestLine({ method, path, status, fault, durationMs, uuid, referenceCode }: RequestEntry): string {
  const answer = status === undefined ? 'connection ended' : String(status);
  const isRight = status !== undefined && status < 400;
  const injected = fault === undefined ? '' : `  fault: ${fault}`;
  return `${visible(`${method} ${path}`)}  ${paint(isRight ? 'green' : 'red', answer)}  ${durationMs} ms${injected}${journey({ uuid, referenceCode })}`;
}

function deliveryLine(
  { delivery, attempt, uuid, referenceCode }: DeliveryEntry,
  retryIntervalMs: number,
): string {
  const { id, kind, status } = delivery;
  const answer = paintAnswer(attempt);
  const endings = {
    delivered: 'delivered',
    'given-up': paint('red', 'given up'),
    pending: attempt.manual ? 'not delivered' : `next attempt in ${retryIntervalMs / 1000} s`,
  };
  const number = attempt.manual ? 'redelivered' : `attempt ${attempt.number}`;
  return `→ ${visible(`${kind} ${id}`)}  ${number}  ${answer}  ${attempt.durationMs} ms  ${endings[status]}${journey({ uuid, referenceCode })}`;
}

/** Which order a line is about. */
function journey({ uuid, referenceCode }: Pick<RequestEntry, 'uuid' | 'referenceCode'>): string {
  const parts = [referenceCode, uuid].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `  ${paint('dim', visible(parts.join(' ')))}`;
}
