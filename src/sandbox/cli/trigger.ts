import { basicAuthorization } from '../../webhooks/authorization';
import { parseNotification } from '../../webhooks/parse-notification';
import type { SendResult } from '../delivery/delivery';
import { listenerUrl } from '../delivery/listener-url';
import { postNotification } from '../delivery/post-notification';
import type { SandboxNotification } from '../model/records';
import { redactor } from '../redact';
import { credentialsFromEnvironment } from './credentials';
import { describeAnswer } from './describe-answer';
import { usageFailure } from './failure';
import { isSet, LONGEST_MS, listOption, numberOption, type RawOptions, requiredOption } from './options';
import { excerpt, paint, print, printJson } from './output';
import { Samples } from './samples';
import { setFields } from './set-fields';
import { parseTarget } from './target';

const makers: Readonly<Record<string, (samples: Samples) => SandboxNotification>> = {
  payment: (samples) => samples.sale().payment,
  reversal: (samples) => samples.sale().reversal('PAID').pending,
  refund: (samples) => samples.sale().refund(10),
  payout: (samples) => samples.payout(),
  'payout-failed': (samples) => samples.payout('PE0001'),
  unrecognized: (samples) => samples.unrecognized(),
};

export const triggerKinds = Object.keys(makers);

/** One notification that was sent, and what came back. */
interface Sent extends SendResult {
  readonly number: number;
  /** What a listener should deduplicate on; missing when `--set` made it unreadable. */
  readonly key: string | undefined;
  /** Whether the same one was sent before. */
  readonly duplicate: boolean;
  readonly query: string;
  readonly payload: unknown;
  /** The beginning of what the listener wrote. */
  readonly answer: string;
}

/** Sends notifications of one kind to a listener. */
export async function trigger(kind: string, options: RawOptions): Promise<number> {
  const make = Object.hasOwn(makers, kind) ? makers[kind] : undefined;
  if (make === undefined) throw usageFailure(`Expected a kind: one of ${triggerKinds.join(', ')}.`);
  const target = parseTarget('--to', requiredOption(options, 'to'));
  const duplicate = isSet(options, 'duplicate');
  const times = numberOption(options, 'times', { least: 1, most: 10_000, otherwise: duplicate ? 2 : 1 });
  const timeoutMs = numberOption(options, 'timeout', { least: 1, most: LONGEST_MS, otherwise: 30_000 });
  const assignments = listOption(options, 'set');
  const { credentials, source } = credentialsFromEnvironment(target.isLoopback);
  const redact = redactor(credentials);
  const authorization = basicAuthorization(credentials);
  const json = isSet(options, 'json');

  const samples = new Samples();
  const next = () => {
    const notification = make(samples);
    return { ...notification, payload: setFields(notification.payload, assignments) };
  };
  let notification = next();
  const sent: Sent[] = [];
  for (let number = 1; number <= times; number++) {
    if (number > 1 && !duplicate) notification = next();
    const { query, payload } = notification;
    const url = listenerUrl(target.url, { kind: notification.kind, query }) ?? target.url;
    const body = JSON.stringify(payload);
    const { text, ...result } = await postNotification({ url, body, authorization, timeoutMs });
    const one: Sent = {
      number,
      key: keyOf(url, body),
      duplicate: duplicate && number > 1,
      query,
      payload,
      ...result,
      answer: excerpt(redact(text)),
    };
    sent.push(one);
    if (!json) print(describe(one, times));
  }

  const ok = sent.every(({ httpStatus }) => httpStatus === 200);
  if (json) printJson({ kind, to: redact(target.url), credentials: source, ok, sent }, 2);
  else print(summary(sent, source));
  return ok ? 0 : 1;
}

function keyOf(url: string, body: string): string | undefined {
  try {
    return parseNotification({ url, body }).key;
  } catch {
    return undefined;
  }
}

function describe(
  { number, httpStatus, error, durationMs, key, duplicate, answer }: Sent,
  of: number,
): string {
  const colour = httpStatus === 200 ? 'green' : 'red';
  const parts = [
    `${number}/${of}`,
    paint(colour, describeAnswer({ httpStatus, error })),
    `${durationMs} ms`,
    key ?? 'without a key',
    duplicate ? '(the same again)' : '',
    answer === '' ? '' : paint('dim', JSON.stringify(answer)),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function summary(sent: readonly Sent[], source: string): string {
  const right = sent.filter(({ httpStatus }) => httpStatus === 200).length;
  const lines = [`${right} of ${sent.length} answered with 200, the only success that the service knows.`];
  const turnedAway = sent.some(({ httpStatus }) => httpStatus === 401 || httpStatus === 403);
  if (turnedAway) {
    lines.push(
      source === 'environment'
        ? 'Does the listener expect the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN?'
        : "The sandbox's default pair was sent. Set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN to what the listener expects.",
    );
  }
  return lines.join('\n');
}
