import { isLoopback } from '../../client/base-url';
import { ConfigurationError } from '../../errors';
import { redactor } from '../../sandbox/credentials';
import type { SandboxLogEntry } from '../../sandbox/log';
import { SandboxError } from '../../sandbox/model/records';
import { type DoubtfulField, likelyNames, SHOWN_VALUES } from '../../sandbox/page/call-log';
import type { Verify } from '../../sandbox/page/page-state';
import {
  type Sandbox,
  type SandboxExtras,
  type SandboxOptions,
  startSandboxWith,
} from '../../sandbox/start-sandbox';
import { text } from '../../sandbox/text';
import type { Credentials } from '../../service/credentials';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { type Command, DEFAULT_PORT, DEFAULT_SANDBOX, insecureHttpOption, section } from '../command';
import {
  type ChosenCredentials,
  credentialsFromEnvironment,
  parseHttpUrl,
  parseTarget,
} from '../credentials';
import { CliFailure, failure } from '../failure';
import { decimal } from '../format';
import { answerHint, deliveryName, paint, paintAnswer, print, printJson } from '../output';
import { localBaseUrl, SandboxClient } from '../sandbox-client';
import { Effects } from '../verify/effects';
import { DEFAULT_LIMIT_MS, runVerify } from '../verify/run';
import { withoutTrace } from '../verify/without-trace';
import { line } from '../visible';

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'Run a local sandbox of the service, with a web page and a live log',
  arguments: [],
  options: {
    port: {
      value: 'n',
      about:
        'Port; 0 takes any free one (default: that of PAYMENTS_BASE_URL if it is on this machine, else 4100)',
    },
    host: {
      value: 'name',
      about: 'Address to listen on (default: 127.0.0.1); others need credentials from the environment',
    },
    'public-url': { value: 'url', about: 'The URL by which others reach it, such as http://sandbox:4100' },
    'webhook-url': { value: 'url', about: 'Where notifications go: https, or this machine' },
    'retry-interval': { value: 'ms', about: 'Time from a failed delivery to its retry (default: 60000)' },
    'allow-insecure-http': insecureHttpOption,
    json: { about: 'Print the log as NDJSON: started, request, delivery, stopped' },
  },
  notes: () => [
    section(
      'Control it',
      'Open its URL in a browser, or use pay, charge, refund, reverse, pay-out, list, resend and fault in another terminal.',
    ),
  ],
  async run({ options, json }) {
    const port = options.integer('port', { least: 0, most: 65_535 }) ?? portOfBaseUrl() ?? DEFAULT_PORT;
    const retryIntervalMs = options.integer('retry-interval', { least: 0, most: LONGEST_TIMER_MS }) ?? 60_000;
    const allowInsecureHttp = options.has('allow-insecure-http');
    const webhookText = options.text('webhook-url');
    const webhookUrl = webhookText && parseTarget('--webhook-url', webhookText, allowInsecureHttp).url;
    const host = options.text('host');
    const publicUrl = options.text('public-url');
    // Without a pair in the environment, the sandbox's own is used. It is no secret, so it may be sent anywhere.
    const chosen = credentialsFromEnvironment(true);
    const log = (entry: SandboxLogEntry) =>
      json ? printJson(logRecord(entry)) : print(logLine(entry, retryIntervalMs));

    const end = untilSignal();
    const { credentials } = chosen;
    let url = '';
    const running = await start(
      { port, host, publicUrl, webhookUrl, retryIntervalMs, credentials, log },
      { verify: pageVerify(() => url, credentials, { allowInsecureHttp }) },
    );
    ({ url } = running);
    keepToSafeTargets(running, allowInsecureHttp);
    if (json) printJson({ type: 'started', url: running.url, credentials: chosen.source });
    else print(welcome(running, chosen, webhookUrl, host));

    await end;
    await running.close();
    if (json) printJson({ type: 'stopped' });
    return { text: 'Stopped.' };
  },
};

/** The port of PAYMENTS_BASE_URL, if that is on this machine: the other commands look for the sandbox there. */
function portOfBaseUrl(): number | undefined {
  const url = localBaseUrl();
  if (url === undefined) return undefined;
  const { port, protocol } = new URL(url);
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

async function start(options: SandboxOptions, extras: SandboxExtras): Promise<Sandbox> {
  try {
    return await startSandboxWith(options, extras);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (error instanceof ConfigurationError || typeof code !== 'string') throw error;
    throw code === 'EADDRINUSE'
      ? failure(
          'Something else uses the port, perhaps another sandbox: pass another `--port`, or 0 for any free one.',
        )
      : failure(line`The sandbox cannot listen on that host and port (${code}).`);
  }
}

/** Applies the rule of `--webhook-url` to the control call that changes that URL, too. */
function keepToSafeTargets(sandbox: Sandbox, allowInsecureHttp: boolean): void {
  const { setWebhookUrl } = sandbox;
  sandbox.setWebhookUrl = (target) => {
    try {
      if (target !== undefined) parseTarget('webhookUrl', target, allowInsecureHttp);
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      throw new SandboxError('invalid', error.message, text('refused.insecureListener')[1]);
    }
    setWebhookUrl(target);
  };
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/**
 * Returns what the button of the sandbox's page runs: the checklist, with real sales of that sandbox.
 *
 * @param sandboxUrl - called at each press, because the sandbox has no URL before it has started
 */
export function pageVerify(
  sandboxUrl: () => string,
  credentials: Credentials,
  { allowInsecureHttp = false },
): Verify {
  return async (request) => {
    const { url } = parseTarget('listener URL', request.url, allowInsecureHttp);
    const effects = request.effects
      ? new Effects(parseHttpUrl('--effects', request.effects), 1_000)
      : undefined;
    await effects?.read();
    const sandbox = new SandboxClient(sandboxUrl(), credentials);
    const { steps, ended, notSeen } = await withoutTrace(sandbox, (_setAside, hold) =>
      runVerify({ url, credentials, limitMs: DEFAULT_LIMIT_MS, effects, sandbox, hold }),
    );
    return { checks: steps, ended, notSeen };
  };
}

/** What is printed once the sandbox has started. */
function welcome(
  { url, credentials }: Sandbox,
  { source }: ChosenCredentials,
  webhookUrl: string | undefined,
  host: string | undefined,
): string {
  const isOwnPair = source === 'sandbox-default';
  const pair = isOwnPair
    ? [
        `  PAYMENTS_API_KEY=${credentials.apiKey}`,
        `  PAYMENTS_API_TOKEN=${credentials.apiToken}  ${paint('dim', `# the sandbox's own pair, no secret`)}`,
      ]
    : [`  # PAYMENTS_API_KEY and PAYMENTS_API_TOKEN: the same as here`];
  // A pair from the environment may be secret, so the page asks for it even on this machine.
  const page = isOwnPair
    ? []
    : ['Its page asks for the same pair: the key as user name, the token as password.'];
  const isLocal = host === undefined || isLoopback(host.includes(':') ? `[${host}]` : host);
  const network = line`It is open to the network, because of --host ${host ?? ''}: whoever reaches this machine and has the pair can use it, and can read everything in it.`;
  const argument = url === DEFAULT_SANDBOX ? '' : ` --sandbox ${url}`;
  return [
    `${paint('bold', 'The sandbox is up:')} ${url}`,
    ...(isLocal ? [] : [paint('yellow', network)]),
    ...page,
    '',
    'Point PaymentsClient.fromEnv() at it:',
    `  PAYMENTS_BASE_URL=${url}`,
    ...pair,
    '',
    webhookUrl === undefined
      ? 'Notifications go nowhere yet: pass --webhook-url, or set a listener on its page.'
      : line`Notifications go to ${redactor(credentials)(webhookUrl)}`,
    '',
    'Once your client has created a journey, in another terminal:',
    `  npx pix-automatic-sdk pay${argument}`,
    paint(
      'dim',
      `  also: charge, refund, reverse, pay-out, list, resend, fault. See npx pix-automatic-sdk --help`,
    ),
    '',
    paint('dim', 'Ctrl+C ends it.'),
    '',
  ].join('\n');
}

type DeliveryEntry = Extract<SandboxLogEntry, { type: 'delivery' }>;
type RequestEntry = Extract<SandboxLogEntry, { type: 'request' }>;

/** A log line for people. */
export function logLine(entry: SandboxLogEntry, retryIntervalMs: number): string {
  const time = paint('dim', new Date().toTimeString().slice(0, 8));
  const parts = entry.type === 'request' ? requestParts(entry) : deliveryParts(entry, retryIntervalMs);
  // Which order it is about.
  const order = [entry.referenceCode, entry.uuid].filter((part) => part !== undefined).join(' ');
  return [time, ...parts, order === '' ? '' : paint('dim', line`${order}`)].filter(Boolean).join('  ');
}

/** A line of NDJSON. The payload is left out: it may hold personal data, and `GET /sandbox/deliveries` has it. */
function logRecord(entry: SandboxLogEntry): object {
  const time = new Date().toISOString();
  if (entry.type === 'request') return { time, ...entry };
  const { type, delivery, attempt, uuid, referenceCode } = entry;
  const { id, kind, url, status } = delivery;
  return { time, type, delivery: { id, kind, url, status }, attempt, uuid, referenceCode };
}

const DOUBTS = {
  referenceCode: 'over 50 characters, an e-mail address or a CPF',
  maxAge: 'in minutes: over 90 days',
  'recurrence.calendar.initialDate': 'in the past',
  'shopper.document.number': 'no CPF has these digits',
} as const satisfies Record<DoubtfulField, string>;

function requestParts(entry: RequestEntry): string[] {
  const {
    method,
    path,
    status,
    fault,
    durationMs,
    operation,
    unknownFields = [],
    unknownValues = [],
    doubtfulValues = [],
  } = entry;
  const advice = (what: string, fields: string[], then = '') =>
    fields.length === 0 ? '' : paint('yellow', line`${what}: ${fields.join(', ')}${then}`);
  const withNames = (field: string) => {
    const names = operation === undefined ? [] : likelyNames(operation, field);
    return names.length === 0 ? field : `${field} (${names.map((name) => `${name}?`).join(' ')})`;
  };
  const withShown = (field: string) => `${field} (${line`it shows ${SHOWN_VALUES[field]}`})`;
  const withDoubt = (field: string) => `${field} (${DOUBTS[field as DoubtfulField]})`;
  const isRight = status !== undefined && status < 400;
  return [
    line`${method} ${path}`,
    paint(isRight ? 'green' : 'red', status === undefined ? 'connection ended' : String(status)),
    `${durationMs} ms`,
    fault === undefined ? '' : line`fault: ${fault}`,
    advice('fields that the document does not have', unknownFields.map(withNames)),
    advice(
      'values that the document does not show',
      unknownValues.map(withShown),
      '. The sandbox takes them; ask the service',
    ),
    advice('values that the service may refuse', doubtfulValues.map(withDoubt)),
    status === 404 && operation === 'getTransaction' && fault === undefined
      ? paint(
          'yellow',
          'no transaction has this UUID here: the sandbox keeps them in memory, and a restart forgets them',
        )
      : '',
  ];
}

function deliveryParts({ delivery, attempt, eventType }: DeliveryEntry, retryIntervalMs: number): string[] {
  const { status } = delivery;
  const seconds = decimal(retryIntervalMs / 1000, 0, 3);
  const endings = {
    delivered: 'delivered',
    'given-up': paint('red', 'given up'),
    // None of these has an attempt to log.
    'not-sent': '',
    pending: attempt.manual ? 'not delivered' : line`next attempt in ${seconds} s`,
  };
  return [
    deliveryName(delivery, eventType),
    attempt.manual ? 'redelivered' : line`attempt ${attempt.number}`,
    paintAnswer(attempt),
    `${attempt.durationMs} ms`,
    endings[status],
    answerHint(attempt),
  ];
}
