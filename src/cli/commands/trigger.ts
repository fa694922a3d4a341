import type { SendResult } from '../../sandbox/delivery/delivery';
import type { Command } from '../command';
import { usageFailure } from '../failure';
import { DEFAULT_SANDBOX, insecureHttpOption, jsonOption, type Options } from '../options';
import { excerpt, paint, paintAnswer, print, printJson } from '../output';
import { Samples, triggerKind, triggerKinds } from '../samples';
import { otherKind, recognize, setFields } from '../set-fields';
import { chooseSender, type Sender } from '../trigger-senders';

/** One notification that was sent, and what came back. */
interface Sent extends SendResult {
  readonly number: number;
  /** The key that a listener should deduplicate on; missing if `--set` made the notification unreadable. */
  readonly key: string | undefined;
  /** Whether the same one was sent before. */
  readonly duplicate: boolean;
  readonly query: string;
  readonly payload: unknown;
  /** The beginning of the response's text. */
  readonly answer: string;
}

export const trigger: Command = {
  name: 'trigger',
  summary: 'Send a made-up notification to your listener',
  arguments: [{ name: 'kind', isRequired: true }],
  options: {
    to: { value: 'url', about: 'Send straight to this listener: https, or this machine' },
    sandbox: {
      value: 'url',
      about: `Without --to, send through this running sandbox (default: ${DEFAULT_SANDBOX})`,
    },
    times: { value: 'n', about: 'How many different ones to send (default: 1)' },
    duplicate: { about: 'Send the same one each time, to test idempotency (twice without --times)' },
    set: { value: 'path=value', about: 'Change a field of the payload; can be repeated' },
    timeout: { value: 'ms', about: 'With --to, how long to wait for a response (default: 30000)' },
    'allow-insecure-http': insecureHttpOption,
    json: jsonOption,
  },
  examples: [
    'trigger payment --to http://127.0.0.1:3000/webhooks',
    'trigger refund --to https://example.com/webhooks --times 3 --duplicate',
    'trigger reversal --set status=CANCELLED',
  ],
  notes: [{ title: 'Kinds', lines: [triggerKinds.join(', ')] }],
  exitCodes: ['every response was 200', 'a response was not 200, or did not come'],
  async run({ args, options }) {
    const { kind, make } = triggerKind(args[0] ?? '');
    const sender = chooseSender(options);
    const { duplicate, times } = repetition(options);
    const assignments = options.list('set');
    const json = options.has('json');

    const samples = new Samples();
    const next = () => {
      const notification = make(samples);
      return { ...notification, payload: setFields(notification.payload, assignments) };
    };
    let notification = next();
    const { query } = notification;
    const becomes = otherKind(kind, query, notification.payload);
    if (becomes !== undefined && !json)
      print(`With --set this is no ${kind} any more: ${becomes.explanation}\n`);

    const sent: Sent[] = [];
    for (let number = 1; number <= times; number++) {
      if (number > 1 && !duplicate) notification = next();
      const { payload } = notification;
      const { text, ...result } = await sender.send(notification.kind, query, payload);
      const one: Sent = {
        number,
        key: recognize(query, payload)?.key,
        duplicate: duplicate && number > 1,
        query,
        payload,
        ...result,
        answer: excerpt(sender.redact(text)),
      };
      sent.push(one);
      if (!json) print(describe(one, times));
    }

    const ok = sent.every(({ httpStatus }) => httpStatus === 200);
    const { to, source } = sender;
    if (json) printJson({ kind: args[0], becomes: becomes?.kind, to, credentials: source, ok, sent }, 2);
    else print(summary(args[0] ?? '', sent, sender));
    return ok ? 0 : 1;
  },
};

function repetition(options: Options): { duplicate: boolean; times: number } {
  const duplicate = options.has('duplicate');
  const times = options.integer('times', { least: 1, most: 10_000, otherwise: duplicate ? 2 : 1 });
  if (duplicate && times < 2) throw usageFailure('Expected `--times` to be 2 or more with `--duplicate`.');
  return { duplicate, times };
}

function describe(
  { number, httpStatus, error, durationMs, key, duplicate, answer }: Sent,
  of: number,
): string {
  const parts = [
    `${number}/${of}`,
    paintAnswer({ httpStatus, error }),
    `${durationMs} ms`,
    key ?? 'without a key',
    duplicate ? '(the same again)' : '',
    answer === '' ? '' : paint('dim', JSON.stringify(answer)),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function summary(kind: string, sent: readonly Sent[], { source }: Sender): string {
  const right = sent.filter(({ httpStatus }) => httpStatus === 200).length;
  const lines = [`${right} of ${sent.length} answered with 200, the only success that the service knows.`];
  const turnedAway = sent.some(({ httpStatus }) => httpStatus === 401 || httpStatus === 403);
  if (turnedAway) {
    lines.push(
      source === 'environment'
        ? 'Does the listener expect the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN?'
        : "The sandbox's own pair was sent. Set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN to what the listener expects.",
    );
  }
  const failed = sent.some(({ httpStatus = 0 }) => httpStatus >= 500);
  if (failed && kind === 'payment') {
    lines.push(
      'A listener that confirms payments refuses a made-up one. For one that the sandbox knows, create a journey there, ' +
        'and run `pay`; `resend` sends it again.',
    );
  }
  return lines.join('\n');
}
