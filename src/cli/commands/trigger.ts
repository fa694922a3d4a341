import { redactor } from '../../sandbox/credentials';
import type { SendResult } from '../../sandbox/delivery/delivery';
import { listenerUrl } from '../../sandbox/delivery/listener-url';
import { postNotification } from '../../sandbox/delivery/post-notification';
import type { SandboxNotification } from '../../sandbox/model/records';
import { documentedKinds } from '../../service/notifications';
import { mergeDeep } from '../../shared/objects';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { basicAuthorization } from '../../webhooks/authorization';
import { parseNotification } from '../../webhooks/parse';
import {
  answeredExitCodes,
  type Command,
  DEFAULT_SANDBOX,
  insecureHttpOption,
  type Options,
  section,
} from '../command';
import { type ChosenCredentials, credentialsFromEnvironment, parseTarget } from '../credentials';
import { failure, knownWord, usageFailure } from '../failure';
import { type Sentence, say } from '../language';
import { excerpt, paint, paintAnswer, print } from '../output';
import { Samples } from '../samples';
import { connectSandbox } from '../sandbox-client';

type Make = (samples: Samples) => SandboxNotification | Promise<SandboxNotification>;

/** What it sends of the kinds that it does not simply send once. */
const makers: Partial<Record<string, Record<string, Make>>> = {
  payment: { payment: (samples) => samples.sale().payment },
  saleStatus: { 'sale-reversal': async (samples) => (await samples.sale().reversal('PAID')).sale },
  reversal: { reversal: async (samples) => (await samples.sale().reversal('PAID')).pending },
  refund: { refund: (samples) => samples.sale().refund(10) },
  payout: {
    payout: (samples) => samples.payout(),
    'payout-failed': (samples) => samples.payout('PE0001'),
  },
};

/** The kinds that it can send, by the kind as a listener of this library knows it. */
const kinds: readonly { readonly name: string; readonly kind: string; readonly make: Make }[] = [
  ...documentedKinds.flatMap((documented) => {
    const { kind } = documented;
    const named = makers[kind] ?? { [kind]: (samples: Samples) => samples.of(documented) };
    return Object.entries(named).map(([name, make]) => ({ name, kind, make }));
  }),
  { name: 'unrecognized', kind: 'unrecognized', make: (samples) => samples.unrecognized() },
];
const kindNames = kinds.map(({ name }) => name);

interface Answer extends SendResult {
  /** The beginning of the response's text, without credentials. */
  readonly answer: string;
}

/** One notification that was sent, and what came back. */
interface Sent extends Answer {
  readonly number: number;
  /** The key that a listener should deduplicate on; missing if `--set` made the notification unreadable. */
  readonly key: string | undefined;
  /** Whether the same one was sent before. */
  readonly duplicate: boolean;
  readonly query: string;
  readonly payload: unknown;
}

export const trigger: Command = {
  name: 'trigger',
  summary: 'Send a made-up notification to your listener',
  arguments: [{ name: 'kind', isRequired: true }],
  options: {
    to: { value: 'url', about: 'Send straight to this listener: https, or this machine' },
    sandbox: {
      value: 'url',
      about: 'Without --to, send through this running sandbox (default: http://127.0.0.1:4100)',
    },
    times: { value: 'n', about: 'How many different ones to send (default: 1)' },
    duplicate: { about: 'Send the same one each time, to test idempotency (twice without --times)' },
    set: { value: 'path=value', about: 'Change a field of the payload; can be repeated' },
    timeout: { value: 'ms', about: 'With --to, how long to wait for a response (default: 30000)' },
    'allow-insecure-http': insecureHttpOption,
  },
  examples: [
    'trigger payment --to http://127.0.0.1:3000/webhooks',
    'trigger refund --to https://example.com/webhooks --times 3 --duplicate',
    'trigger reversal --set status=CANCELLED',
  ],
  notes: () => [section('Kinds', kindNames.join(', '))],
  exitCodes: answeredExitCodes,
  async run({ args, options, json }) {
    const name = knownWord('kind', args[0], kindNames);
    const { kind, make } = kinds[kindNames.indexOf(name)] as (typeof kinds)[number];
    const sender = options.text('to') === undefined ? throughSandbox(options) : directly(options);
    const duplicate = options.has('duplicate');
    const times = options.integer('times', { least: 1, most: 10_000 }) ?? (duplicate ? 2 : 1);
    if (duplicate && times < 2) throw usageFailure('Expected `--times` to be 2 or more with `--duplicate`.');
    const assignments = options.list('set').map(parseAssignment);

    const samples = new Samples();
    const next = async () => {
      const { query, payload } = await make(samples);
      return { query, payload: assignments.reduce<unknown>((set, one) => mergeDeep(set, one), payload) };
    };
    let { query, payload } = await next();
    const actual = recognize(query, payload);
    const becomes = actual?.kind === kind ? undefined : (actual?.kind ?? 'unreadable');
    if (becomes !== undefined && !json) {
      const explanation = say(actual === undefined ? UNREADABLE : READABLE, { kind: actual?.kind });
      print(`${say('With --set this is no {kind} any more: {explanation}', { kind: name, explanation })}\n`);
    }

    const sent: Sent[] = [];
    for (let number = 1; number <= times; number++) {
      if (number > 1 && !duplicate) ({ query, payload } = await next());
      const { key } = recognize(query, payload) ?? {};
      const isAgain = duplicate && number > 1;
      const answer = await sender.send(query, payload);
      const one: Sent = { number, key, duplicate: isAgain, query, payload, ...answer };
      sent.push(one);
      if (!json) print(describe(one, times));
    }

    const ok = sent.every(({ httpStatus }) => httpStatus === 200);
    const { to, source } = sender;
    return {
      exitCode: ok ? 0 : 1,
      data: { kind: name, becomes, to, credentials: source, ok, sent },
      text: summary(name, sent, source),
    };
  },
};

const READABLE = '`createWebhookHandler` calls `on.{kind}` for it.' satisfies Sentence;
const UNREADABLE =
  'a field that it needs is missing, or contradicts the query. `createWebhookHandler` answers 400, unless it has `on.unrecognized`.' satisfies Sentence;

/** How a notification gets to the listener. */
interface Sender {
  /** Where it goes, for the report. */
  readonly to: string;
  readonly source: ChosenCredentials['source'];
  send(query: string, payload: unknown): Promise<Answer>;
}

function directly(options: Options): Sender {
  const timeoutMs = options.integer('timeout', { least: 1, most: LONGEST_TIMER_MS }) ?? 30_000;
  if (options.has('sandbox')) throw usageFailure('Expected `--to` or `--sandbox`, not both.');
  const target = parseTarget('--to', options.text('to') ?? '', options.has('allow-insecure-http'));
  const { credentials, source } = credentialsFromEnvironment(target.isDevelopment);
  const authorization = basicAuthorization(credentials);
  const redact = redactor(credentials);
  return {
    to: redact(target.url),
    source,
    async send(query, payload) {
      const url = urlWith(target.url, query);
      const body = JSON.stringify(payload);
      const { text, ...result } = await postNotification({ url, body, authorization, timeoutMs });
      return { ...result, answer: excerpt(redact(text)) };
    },
  };
}

/** To the sandbox's listener. */
function throughSandbox(options: Options): Sender {
  const sandbox = connectSandbox(options);
  return {
    to: `the listener of the sandbox at ${options.text('sandbox') ?? DEFAULT_SANDBOX}`,
    source: credentialsFromEnvironment(true).source,
    async send(query, payload) {
      const { deliveries } = await sandbox.move('POST', '/sandbox/notifications', { payload, query });
      if (deliveries[0] === undefined)
        throw failure('The sandbox has no listener: pass `--to`, or start the sandbox with `--webhook-url`.');
      const [attempt = { httpStatus: undefined, error: 'timeout', durationMs: 0 }] = deliveries[0].attempts;
      const { httpStatus, error, durationMs } = attempt;
      return { httpStatus, error, durationMs, answer: '' };
    },
  };
}

/** Reads `--set refund.amount=5`. The value is JSON (`5`, `null`, `{"bank":"1"}`), or text if it is not (`PAID`). */
function parseAssignment(assignment: string): unknown {
  const { path, value } = /^(?<path>[^=]+)=(?<value>.*)$/s.exec(assignment)?.groups ?? {};
  const names = path?.split('.') ?? [];
  if (value === undefined || names.length === 0 || names.includes('')) {
    throw usageFailure('Expected `--set` as path=value, such as `--set refund.amount=5`.');
  }
  let read: unknown = value;
  try {
    read = JSON.parse(value);
  } catch {
    // Text.
  }
  return names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), read);
}

/** The kind and key that a listener of this library finds in it; `undefined` if it cannot read it. */
function recognize(query: string, payload: unknown): { kind: string; key: string } | undefined {
  try {
    return parseNotification({
      url: urlWith('http://listener.invalid/', query),
      body: JSON.stringify(payload),
    });
  } catch {
    return undefined;
  }
}

function urlWith(url: string, query: string): string {
  return listenerUrl(url, { kind: 'custom', query }) ?? url;
}

function describe(
  { number, httpStatus, error, durationMs, key, duplicate, answer }: Sent,
  of: number,
): string {
  const parts = [
    `${number}/${of}`,
    paintAnswer({ httpStatus, error }),
    `${durationMs} ms`,
    key ?? say('without a key'),
    duplicate ? say('(the same again)') : '',
    answer === '' ? '' : paint('dim', JSON.stringify(answer)),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function summary(kind: string, sent: readonly Sent[], source: ChosenCredentials['source']): string {
  const right = sent.filter(({ httpStatus }) => httpStatus === 200).length;
  const lines = [
    say('{right} of {all} answered with 200, the only success that the service knows.', {
      right,
      all: sent.length,
    }),
  ];
  if (sent.some(({ httpStatus }) => httpStatus === 401 || httpStatus === 403)) {
    lines.push(
      source === 'environment'
        ? say('Does the listener expect the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN?')
        : say(
            "The sandbox's own pair was sent. Set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN to what the listener expects.",
          ),
    );
  }
  if (kind === 'payment' && sent.some(({ httpStatus = 0 }) => httpStatus >= 500)) {
    lines.push(
      say(
        'A listener that confirms payments refuses a made-up one. For one that the sandbox knows, create a journey there, and run `pay`; `resend` sends it again.',
      ),
    );
  }
  return lines.join('\n');
}
