import { createInterface } from 'node:readline/promises';
import type { Control, Field, Subject } from '../../sandbox/controls/control';
import { controls } from '../../sandbox/controls/controls';
import type { SandboxScheduledPayment } from '../../sandbox/model/records';
import { filled } from '../../shared/filled';
import { type Command, type OptionSpec, type Options, sandboxOptions, section } from '../command';
import { didYouMean, failure, usageFailure } from '../failure';
import { money } from '../format';
import { answerHint, deliveryName, paintAnswer } from '../output';
import { connectSandbox, type ListedDelivery, type ListedTransaction } from '../sandbox-client';
import { line, visible } from '../visible';

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
  readonly argument: string;
  readonly without: string;
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
  recurrence: {
    argument: 'uuid or referenceCode',
    without: 'The newest journey whose recurrence the payer has accepted and that has not ended.',
    choose: chooseRecurrence,
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
      if (named !== undefined && !reversals.some(({ uuid }) => uuid === named)) {
        const hint = didYouMean(
          named,
          reversals.map(({ uuid }) => uuid),
        );
        throw failure(line`No reversal has this uuid.${hint} \`pix-automatic-sdk list\` shows them all.`);
      }
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
  const charge = chargeOf(transactions, named);
  if (charge !== undefined) return charge;
  const found = findJourney(
    transactions,
    named,
    ({ situation, isAuthorized, immediatePayment }) =>
      situation === wanted && (immediatePayment || !isAuthorized),
  );
  if (found !== undefined) {
    const { uuid, referenceCode, amount } = found;
    return { id: uuid, referenceCode, amount, identity: { uuid, referenceCode, amount } };
  }
  if (transactions.length === 0) {
    throw failure(
      'The sandbox has no journey yet: create one with `client.createRecurringCheckout`, pointed at the sandbox, or with `pix-automatic-sdk create`.',
    );
  }
  throw wanted === 'PENDING'
    ? failure('Every journey of the sandbox is paid or cancelled: create another one first.')
    : failure('No transaction of the sandbox is paid: pay one with `pix-automatic-sdk pay`.');
}

/** The sale of that uuid that charged a scheduled payment. */
function chargeOf(transactions: readonly ListedTransaction[], named: string | undefined): Chosen | undefined {
  if (named === undefined) return undefined;
  for (const { referenceCode, scheduledPayments } of transactions) {
    const charged = scheduledPayments.find(({ saleUUID }) => saleUUID === named);
    if (charged === undefined) continue;
    const { amount } = charged;
    return { id: named, referenceCode, amount, identity: { uuid: named, referenceCode, amount } };
  }
  return undefined;
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
    line`No transaction of the sandbox has that uuid or reference code.${didYouMean(named, names)} \`pix-automatic-sdk list\` shows them all.`,
  );
}

function chooseRecurrence(transactions: readonly ListedTransaction[], named: string | undefined): Chosen {
  const found = findJourney(transactions, named, ({ recurrence }) => recurrence.status === 'APPROVED');
  if (found === undefined)
    throw failure(
      'Nothing is left to charge or to end: no recurrence of the sandbox is accepted and has not ended. `pix-automatic-sdk pay` accepts that of a new journey.',
    );
  const { uuid, referenceCode } = found;
  return { id: uuid, referenceCode, identity: { uuid, referenceCode } };
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

/** What the answers of the controls may have. */
interface Moved {
  readonly uuid?: string;
  readonly instructionId?: string;
  readonly dueDate?: string;
  readonly amount?: number;
  /** Those that `pay` has scheduled. */
  readonly scheduledPayments?: readonly SandboxScheduledPayment[];
}

function commandOf(control: Control): Command {
  const { name, about, path, method } = control;
  const subject = subjects[control.subject as keyof typeof subjects] as SubjectOfCommand | undefined;
  const fields = Object.entries(control.fields).filter(([, { isForScripts }]) => isForScripts !== true);
  const typed = fields.find(([field]) => field === control.argument);
  return {
    name,
    summary: about[0],
    arguments: argumentsOf(subject, typed?.[1]),
    options: {
      ...Object.fromEntries(
        fields
          .filter((field) => field !== typed)
          .map(([field, definition]) => [optionName(field), optionOf(definition)]),
      ),
      ...sandboxOptions,
    },
    notes: () => (subject === undefined ? [] : [section('Without an argument', subject.without)]),
    async run({ args, options }) {
      const body = Object.fromEntries(
        fields.map(([field, definition]) => [field, enteredValue(optionName(field), definition, options)]),
      );
      if (typed !== undefined) body[typed[0]] = (args[0] ?? (await ask(typed[1]))) || undefined;
      if (body['complete'] && body['cancel'])
        throw usageFailure('Expected `--complete` or `--cancel`, not both.');
      const sandbox = connectSandbox(options);
      const transactions = subject === undefined ? [] : await sandbox.transactions();
      if (control.fields['amount'] !== undefined) refuseAmount(transactions, args[0]);
      const chosen = subject?.choose(transactions, args[0]);
      const target = path.replace(':id', encodeURIComponent(chosen?.id ?? ''));
      const { result: answer, deliveries } = await sandbox.move(method, target, body);
      const moved: Moved = Object(answer);
      const { uuid, instructionId, dueDate, amount = chosen?.amount, scheduledPayments = [] } = moved;
      const values = {
        ...Object(answer),
        reference: chosen?.referenceCode ?? Object(answer).referenceCode,
        uuid: chosen?.id ?? instructionId ?? uuid,
        result: uuid,
        dueDate,
        amount: amount === undefined ? '' : money(amount),
        outcome: outcomeOf(control, body),
        name: body['name'],
      };
      const lines = [
        escaped((control.done ?? control.label)[0], values),
        ...scheduledPayments.map(
          ({ instructionId, dueDate }) => line`  scheduled: ${instructionId}, due ${dueDate}`,
        ),
        ...(deliveries.length === 0
          ? nothingSent(control).map((why) => `  ${why}`)
          : deliveries.map(deliveryLine)),
      ];
      const notifications = deliveries.map(({ id, kind, status, attempts }) => {
        const { httpStatus, error, durationMs } = attempts.at(-1) ?? {};
        return { delivery: id, kind, status, httpStatus, error, durationMs };
      });
      return {
        exitCode: notifications.every(({ httpStatus, status }) => httpStatus === 200 || status === 'not-sent')
          ? 0
          : 1,
        data: { ...chosen?.identity, ...control.data?.(Object(answer)), notifications },
        text: lines.join('\n'),
      };
    },
  };
}

/** How a payout, or a charge, went. */
function outcomeOf({ fields }: Control, { fail, fails, retry }: Readonly<Record<string, unknown>>): string {
  const code = fail ?? fails;
  if (code === undefined) return 'fails' in fields ? 'paid' : 'made';
  return `${line`failed with ${code}`}${retry === true ? ', and will be tried again' : ''}`;
}

/** A text of the sandbox with its values, which may come from outside. */
function escaped(text: string, values: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(values).map(([name, value]) => [name, visible(String(value ?? ''))]);
  return filled(text, Object.fromEntries(shown));
}

/** @throws `CliFailure` for an amount where a sale is named, unless an order has that name */
function refuseAmount(transactions: readonly ListedTransaction[], word = ''): void {
  const isAmount = /^\d+([.,]\d{1,2})?$/.test(word);
  if (!isAmount || transactions.some(({ referenceCode }) => referenceCode === word)) return;
  throw usageFailure(
    line`There is no sale \`${word}\`. Did you mean \`--amount ${word.replace(',', '.')}\`?`,
  );
}

/** Why no notification was sent. */
function nothingSent({ isSilent }: Control): string[] {
  return isSilent === true ? [] : ['No notification is sent: the document shows none for this.'];
}

/** One line for a notification, with the response to its last attempt. */
export function deliveryLine(delivery: ListedDelivery): string {
  const { status, attempts } = delivery;
  const attempt = attempts.at(-1);
  const name = `  ${deliveryName(delivery, Object(delivery.payload).eventType)}  `;
  if (status === 'not-sent')
    return `${name}not sent: the sandbox has no listener. \`set-listener\` sets one, and \`resend\` sends this`;
  if (attempt === undefined) return `${name}on its way`;
  const result = `${name}${paintAnswer(attempt)}  ${attempt.durationMs} ms`;
  if (attempt.httpStatus === 200) return `${result}  delivered`;
  const endings: Readonly<Record<string, string>> = {
    pending: 'will be retried',
    delivered: 'delivered before',
    'given-up': 'given up',
  };
  const ending = endings[status];
  return [result, ending === undefined ? line`${status}` : ending, answerHint(attempt)]
    .filter(Boolean)
    .join('  ');
}

/** `authorizeOnly` is `--authorize-only`. */
export function optionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const valueNames = {
  text: 'text',
  amount: 'n',
  json: 'json',
  choice: 'name',
  flag: undefined,
} as const;

function optionOf({ input, label, choices }: Field): OptionSpec {
  return { value: valueNames[input], about: label[0], choices };
}

/** What was typed for a field. @throws `CliFailure` for a value that cannot be meant */
function enteredValue(
  name: string,
  { input, label, schema, choices = [] }: Field,
  options: Options,
): unknown {
  if (input === 'flag') return options.has(name) || undefined;
  const text = options.text(name);
  if (text === undefined) {
    if (schema.safeParse(undefined).success) return undefined;
    throw usageFailure(line`Expected \`--${name}\`: ${label[0]}`);
  }
  if (input === 'amount') return options.amount(name);
  if (input === 'choice') return options.oneOf(name, choices);
  if (input === 'text') return text;
  try {
    const value: unknown = JSON.parse(text);
    if (schema.safeParse(value).success) return value;
  } catch {
    // Not JSON.
  }
  throw usageFailure(line`Expected \`--${name}\` to be a JSON object.`);
}

function argumentsOf(subject: SubjectOfCommand | undefined, typed: Field | undefined): Command['arguments'] {
  if (subject !== undefined) return [{ name: subject.argument, isRequired: false }];
  return typed === undefined ? [] : [{ name: 'url', isRequired: false }];
}

/** Asks for the value of a field, where somebody can answer. */
async function ask({ label }: Field): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw usageFailure(line`Expected <url>.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${label[0]}: `)).trim();
  } finally {
    terminal.close();
  }
}

/** The commands of the controls that the command line has no command of its own for. */
export const controlCommands: readonly Command[] = controls
  .filter(({ typed }) => typed === undefined)
  .map(commandOf);
