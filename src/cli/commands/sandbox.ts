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
import { decimal, inLanguage, say } from '../language';
import { answerHint, paint, paintAnswer, print, printJson } from '../output';
import { localBaseUrl, SandboxClient } from '../sandbox-client';
import { Effects } from '../verify/effects';
import { DEFAULT_LIMIT_MS, runVerify } from '../verify/run';
import { withoutTrace } from '../verify/without-trace';
import { line } from '../visible';

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'start.summary',
  arguments: [],
  options: {
    port: { value: 'value.n', about: 'start.port' },
    host: {
      value: 'value.name',
      about: 'start.host',
    },
    'public-url': { value: 'value.url', about: 'start.publicUrl' },
    'webhook-url': { value: 'value.url', about: 'start.webhookUrl' },
    'retry-interval': { value: 'value.ms', about: 'start.retryInterval' },
    'allow-insecure-http': insecureHttpOption,
    json: { about: 'start.json' },
  },
  notes: () => [section('start.control', say('start.controlHow'))],
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
    return { text: say('start.stopped') };
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
    throw code === 'EADDRINUSE' ? failure('start.portTaken') : failure('start.cannotListen', { code });
  }
}

/** Applies the rule of `--webhook-url` to the control call that changes that URL, too. */
function keepToSafeTargets(sandbox: Sandbox, allowInsecureHttp: boolean): void {
  const { setWebhookUrl } = sandbox;
  sandbox.setWebhookUrl = (target) => {
    const [english, portuguese] = (['en', 'pt'] as const).map((language) =>
      inLanguage(language, () => problemOf(target, allowInsecureHttp)),
    );
    if (english !== undefined) throw new SandboxError('invalid', english, portuguese);
    setWebhookUrl(target);
  };
}

function problemOf(target: string | undefined, allowInsecureHttp: boolean): string | undefined {
  try {
    if (target !== undefined) parseTarget('webhookUrl', target, allowInsecureHttp);
    return undefined;
  } catch (error) {
    if (error instanceof CliFailure) return error.message;
    throw error;
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/**
 * Returns what the button of the sandbox's page runs: the checklist, with real sales of that sandbox, in the page's
 * language.
 *
 * @param sandboxUrl - called at each press, because the sandbox has no URL before it has started
 */
export function pageVerify(
  sandboxUrl: () => string,
  credentials: Credentials,
  { allowInsecureHttp = false },
): Verify {
  return (request, isPortuguese = false) =>
    inLanguage(isPortuguese ? 'pt' : 'en', async () => {
      const { url } = parseTarget(say('value.listener'), request.url, allowInsecureHttp);
      const effects = request.effects
        ? new Effects(parseHttpUrl('--effects', request.effects), 1_000)
        : undefined;
      await effects?.read();
      const sandbox = new SandboxClient(sandboxUrl(), credentials);
      const { steps, ended, notSeen } = await withoutTrace(sandbox, (_setAside, hold) =>
        runVerify({ url, credentials, limitMs: DEFAULT_LIMIT_MS, effects, sandbox, hold }),
      );
      return { checks: steps, ended, notSeen };
    });
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
        `  PAYMENTS_API_TOKEN=${credentials.apiToken}  ${paint('dim', `# ${say('start.defaultPair')}`)}`,
      ]
    : [`  # ${say('start.samePair')}`];
  // A pair from the environment may be secret, so the page asks for it even on this machine.
  const page = isOwnPair ? [] : [say('start.pageAsks')];
  const isLocal = host === undefined || isLoopback(host.includes(':') ? `[${host}]` : host);
  const network = say('start.openToNetwork', { host: host ?? '' });
  const argument = url === DEFAULT_SANDBOX ? '' : ` --sandbox ${url}`;
  return [
    `${paint('bold', say('start.isUp'))} ${url}`,
    ...(isLocal ? [] : [paint('yellow', network)]),
    ...page,
    '',
    say('start.pointClient'),
    `  PAYMENTS_BASE_URL=${url}`,
    ...pair,
    '',
    webhookUrl === undefined
      ? say('start.noListener')
      : say('start.listener', { url: redactor(credentials)(webhookUrl) }),
    '',
    say('start.next'),
    `  npx pix-automatic-sdk pay${argument}`,
    paint('dim', `  ${say('start.also')}`),
    '',
    paint('dim', say('start.end')),
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
  maxAge: 'log.longMaxAge',
  'recurrence.calendar.initialDate': 'log.pastDate',
  'shopper.document.number': 'log.noCpf',
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
  const advice = (key: 'log.unknownFields' | 'log.unknownValues' | 'log.doubtfulValues', fields: string[]) =>
    fields.length === 0 ? '' : paint('yellow', line`${say(key, { fields: fields.join(', ') })}`);
  const withNames = (field: string) => {
    const names = operation === undefined ? [] : likelyNames(operation, field);
    return names.length === 0 ? field : `${field} (${names.map((name) => `${name}?`).join(' ')})`;
  };
  const withShown = (field: string) =>
    `${field} (${say('log.shownValue', { value: String(SHOWN_VALUES[field]) })})`;
  const withDoubt = (field: string) => `${field} (${say(DOUBTS[field as DoubtfulField])})`;
  const isRight = status !== undefined && status < 400;
  return [
    line`${method} ${path}`,
    paint(isRight ? 'green' : 'red', status === undefined ? say('log.connectionEnded') : String(status)),
    `${durationMs} ms`,
    fault === undefined ? '' : say('log.fault', { fault }),
    advice('log.unknownFields', unknownFields.map(withNames)),
    advice('log.unknownValues', unknownValues.map(withShown)),
    advice('log.doubtfulValues', doubtfulValues.map(withDoubt)),
    status === 404 && operation === 'getTransaction' && fault === undefined
      ? paint('yellow', say('log.unknownTransaction'))
      : '',
  ];
}

function deliveryParts({ delivery, attempt }: DeliveryEntry, retryIntervalMs: number): string[] {
  const { id, kind, status } = delivery;
  const seconds = decimal(retryIntervalMs / 1000, 0, 3);
  const endings = {
    delivered: say('delivery.delivered'),
    'given-up': paint('red', say('delivery.givenUp')),
    pending: attempt.manual ? say('log.notDelivered') : say('log.nextAttempt', { seconds }),
  };
  return [
    line`→ ${kind} ${id}`,
    attempt.manual ? say('log.redelivered') : say('attempt', { number: attempt.number }),
    paintAnswer(attempt),
    `${attempt.durationMs} ms`,
    endings[status],
    answerHint(attempt),
  ];
}
