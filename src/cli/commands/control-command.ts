import * as z from 'zod/mini';
import type { Control, Field, Subject, Text } from '../../sandbox/controls/control';
import { controls } from '../../sandbox/controls/controls';
import {
  answeredExitCodes,
  type Command,
  type OptionSpec,
  type Options,
  sandboxOptions,
  section,
} from '../command';
import { didYouMean, failure, usageFailure } from '../failure';
import { day, money, type Sentence, say } from '../language';
import { paintAnswer, visible } from '../output';
import {
  connectSandbox,
  type ListedDelivery,
  type ListedTransaction,
  scheduledPayment,
} from '../sandbox-client';

/** What a command acts on. */
interface Chosen {
  /** For the control's path. */
  readonly id: string;
  readonly referenceCode?: string | undefined;
  readonly amount?: number | undefined;
  /** For `--json`. */
  readonly identity: object;
}

/** How a command finds what it acts on: what is named, or else the newest that it can act on. */
interface SubjectOfCommand {
  readonly argument: Sentence;
  readonly without: Sentence;
  choose(transactions: readonly ListedTransaction[], named: string | undefined): Chosen;
}

const subjects: Readonly<Record<Exclude<Subject, 'delivery'>, SubjectOfCommand>> = {
  journey: {
    argument: 'uuid or referenceCode',
    without: 'The newest journey that is not paid yet.',
    choose: (transactions, named) => chooseJourney(transactions, named, 'PENDING'),
  },
  'paid-journey': {
    argument: 'uuid or referenceCode',
    without: 'The newest transaction that is paid.',
    choose: (transactions, named) => chooseJourney(transactions, named, 'PAID'),
  },
  'scheduled-payment': {
    argument: 'instruction id, or uuid or referenceCode of its journey',
    without: 'The next payment of the newest journey that has one scheduled. Of a journey: its next one.',
    choose: chooseScheduled,
  },
  reversal: {
    argument: 'uuid of the reversal',
    without: 'The newest reversal that is PENDING.',
    choose(transactions, named) {
      const reversals = transactions.flatMap(({ reversals }) => reversals);
      const id = named ?? reversals.findLast(({ status }) => status === 'PENDING')?.uuid;
      if (id !== undefined) return { id, identity: {} };
      throw failure('No reversal is PENDING: `pix-automatic-sdk reverse` starts one.');
    },
  },
};

function chooseJourney(
  transactions: readonly ListedTransaction[],
  named: string | undefined,
  wanted: 'PENDING' | 'PAID',
): Chosen {
  const found = findJourney(
    transactions,
    named,
    ({ situation, isAuthorized }) => situation === wanted && !isAuthorized,
  );
  if (found !== undefined) {
    const { uuid, referenceCode, amount } = found;
    return { id: uuid, referenceCode, amount, identity: { uuid, referenceCode, amount } };
  }
  if (transactions.length === 0) {
    throw failure(
      'The sandbox has no journey yet: create one with `client.createRecurringCheckout`, pointed at the sandbox.',
    );
  }
  throw wanted === 'PENDING'
    ? failure('Every journey of the sandbox is paid or cancelled: create another one first.')
    : failure('No transaction of the sandbox is paid: pay one with `pix-automatic-sdk pay`.');
}

/** The transaction with that uuid or reference code. Without one, the newest that fits. */
function findJourney(
  transactions: readonly ListedTransaction[],
  named: string | undefined,
  fits: (transaction: ListedTransaction) => boolean,
): ListedTransaction | undefined {
  if (named === undefined) return transactions.findLast(fits);
  const found = transactions.findLast(({ uuid, referenceCode }) => uuid === named || referenceCode === named);
  if (found !== undefined) return found;
  const names = transactions.flatMap(({ uuid, referenceCode }) => [referenceCode, uuid]);
  throw failure(
    'No transaction of the sandbox has that uuid or reference code.{hint} `pix-automatic-sdk list` shows them all.',
    { hint: didYouMean(named, names) },
  );
}

function chooseScheduled(transactions: readonly ListedTransaction[], named: string | undefined): Chosen {
  const isScheduled = ({ status }: { status?: string | undefined }) => status === 'SCHEDULED';
  const byId = transactions.find(({ scheduledPayments }) =>
    scheduledPayments.some(({ instructionId }) => instructionId === named),
  );
  const journey =
    byId ?? findJourney(transactions, named, ({ scheduledPayments }) => scheduledPayments.some(isScheduled));
  const id = byId === undefined ? journey?.scheduledPayments.find(isScheduled)?.instructionId : named;
  if (journey === undefined || id === undefined)
    throw failure('No payment is scheduled: `pix-automatic-sdk pay` schedules the payments of a journey.');
  const { uuid, referenceCode } = journey;
  return { id, referenceCode, identity: { uuid, referenceCode } };
}

const result = z.looseObject({
  uuid: z.optional(z.string()),
  instructionId: z.optional(z.string()),
  dueDate: z.optional(z.string()),
  amount: z.optional(z.number()),
  // Those that `pay` has scheduled.
  scheduledPayments: z.optional(z.array(scheduledPayment)),
});

function commandOf(control: Control): Command {
  const { name, about, path, method, example = {} } = control;
  const subject = subjects[control.subject as keyof typeof subjects] as SubjectOfCommand | undefined;
  const fields = Object.entries(control.fields).filter(([, { isForScripts }]) => isForScripts !== true);
  const words = Object.entries(example).map(([field, value]) => `--${optionName(field)} ${inShell(value)}`);
  const needsOption = fields.some(([, { schema }]) => !schema.safeParse(undefined).success);
  return {
    name,
    summary: about,
    arguments: subject === undefined ? [] : [{ name: subject.argument, isRequired: false }],
    options: {
      ...Object.fromEntries(fields.map(([field, definition]) => [optionName(field), optionOf(definition)])),
      ...sandboxOptions,
    },
    examples: [...(needsOption ? [] : [name]), ...(words.length === 0 ? [] : [[name, ...words].join(' ')])],
    notes: () => (subject === undefined ? [] : [section('Without an argument', say(subject.without))]),
    exitCodes: answeredExitCodes,
    async run({ args, options }) {
      const body = Object.fromEntries(
        fields.map(([field, definition]) => [field, enteredValue(optionName(field), definition, options)]),
      );
      if (body['complete'] && body['cancel'])
        throw usageFailure('Expected `--complete` or `--cancel`, not both.');
      const sandbox = connectSandbox(options);
      const chosen = subject?.choose(await sandbox.transactions(), args[0]);
      const target = path.replace(':id', encodeURIComponent(chosen?.id ?? ''));
      const { result: answer, deliveries } = await sandbox.move(method, target, body);
      const moved = result.parse(answer);
      const { uuid, instructionId, dueDate, amount = chosen?.amount, scheduledPayments = [] } = moved;
      const summary = say(control.done ?? control.label, {
        ...Object(answer),
        reference: chosen?.referenceCode ?? Object(answer).referenceCode,
        uuid: chosen?.id ?? instructionId ?? uuid,
        result: uuid,
        dueDate: dueDate && day(dueDate),
        amount: amount === undefined ? '' : money(amount),
        outcome: body['fail'] === undefined ? say('made') : say('failed with {code}', { code: body['fail'] }),
        name: body['name'],
      });
      const lines = [
        visible(summary),
        ...scheduledPayments.map(({ instructionId, dueDate }) => {
          const date = dueDate && day(dueDate);
          return `  ${visible(say('scheduled: {id}, due {date}', { id: instructionId, date }))}`;
        }),
        ...(deliveries.length === 0 ? [`  ${say(NOTHING_SENT)}`] : deliveries.map(deliveryLine)),
      ];
      const notifications = deliveries.map(({ id, kind, status, attempts }) => {
        const { httpStatus, error, durationMs } = attempts.at(-1) ?? {};
        return { delivery: id, kind, status, httpStatus, error, durationMs };
      });
      return {
        exitCode: notifications.every(({ httpStatus }) => httpStatus === 200) ? 0 : 1,
        data: { ...chosen?.identity, ...control.data?.(Object(answer)), notifications },
        text: lines.join('\n'),
      };
    },
  };
}

const NOTHING_SENT =
  'No notification was sent. Either this sends none, or the sandbox has no listener: start it with --webhook-url.';

/** One line for a notification, with the response to its last attempt. */
export function deliveryLine({ id, kind, status, attempts }: ListedDelivery): string {
  const attempt = attempts.at(-1);
  const name = `  → ${visible(`${kind} ${id}`)}  `;
  if (attempt === undefined) return name + say('on its way');
  const endings: Readonly<Record<string, Sentence>> = {
    pending: 'will be retried',
    delivered: 'delivered',
    'given-up': 'given up',
  };
  const ending = endings[status];
  return `${name}${paintAnswer(attempt)}  ${attempt.durationMs} ms  ${ending === undefined ? visible(status) : say(ending)}`;
}

/** `authorizeOnly` is `--authorize-only`. */
export function optionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const valueNames = {
  text: 'text',
  amount: 'n',
  number: 'n',
  json: 'json',
  choice: 'name',
  flag: undefined,
} as const;

function optionOf({ input, label, choices }: Field): OptionSpec {
  return { value: valueNames[input], about: label satisfies Text, choices };
}

/** What was typed for a field. @throws `CliFailure` for a value that cannot be meant */
function enteredValue(name: string, { input, schema, choices = [] }: Field, options: Options): unknown {
  if (input === 'flag') return options.has(name) || undefined;
  const text = options.text(name);
  if (text === undefined) {
    if (schema.safeParse(undefined).success) return undefined;
    throw usageFailure('Expected `--{name}`. The help has an example.', { name });
  }
  if (input === 'amount') return options.amount(name);
  if (input === 'number') return options.integer(name, { least: 1, most: 1_000_000 });
  if (input === 'choice') return options.oneOf(name, choices);
  if (input === 'text') return text;
  try {
    const value: unknown = JSON.parse(text);
    if (schema.safeParse(value).success) return value;
  } catch {
    // Not JSON.
  }
  throw usageFailure('Expected `--{name}` to be a JSON object.', { name });
}

function inShell(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^[\w.:/=-]+$/.test(text) ? text : `'${text}'`;
}

/** The commands of the controls that the command line has no command of its own for. */
export const controlCommands: readonly Command[] = controls
  .filter(({ typed }) => typed === undefined)
  .map(commandOf);
