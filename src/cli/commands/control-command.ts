import * as z from 'zod/mini';
import type { Control, Field, Subject } from '../../sandbox/controls/control';
import { controls } from '../../sandbox/controls/controls';
import type { Command } from '../command';
import { didYouMean, usageFailure } from '../failure';
import { choose, exitCodesOfMove, money, reportMove } from '../moves';
import { languageOf, type Options, sandboxOptions } from '../options';
import { connectSandbox } from '../sandbox-client';

const subjects: Readonly<Record<Subject, readonly [argument: string, without: string]>> = {
  journey: ['uuid or referenceCode', 'The newest journey that is not paid yet.'],
  'paid-journey': ['uuid or referenceCode', 'The newest transaction that is paid.'],
  'scheduled-payment': [
    'instruction id, or uuid or referenceCode of its journey',
    'The next payment of the newest journey that has one scheduled. Of a journey: its next one.',
  ],
  reversal: ['uuid of the reversal', 'The newest reversal that is PENDING.'],
  delivery: ['delivery id', 'The newest notification.'],
};

/** The commands of the controls that the command line has no command of its own for. */
export const controlCommands: readonly Command[] = controls
  .filter(({ typed }) => typed === undefined)
  .map(commandOf);

const result = z.looseObject({
  uuid: z.optional(z.string()),
  instructionId: z.optional(z.string()),
  amount: z.optional(z.number()),
});

function commandOf(control: Control): Command {
  const { name, about, subject, path, method, example = {} } = control;
  const fields = Object.entries(control.fields).filter(([, { isForScripts }]) => isForScripts !== true);
  const words = Object.entries(example).flatMap(([field, value]) => [
    `--${optionName(field)}`,
    inShell(value),
  ]);
  return {
    name,
    summary: about[0].replaceAll('`', ''),
    arguments: subject === undefined ? [] : [{ name: subjects[subject][0], isRequired: false }],
    options: {
      ...Object.fromEntries(fields.map(([field, definition]) => [optionName(field), optionOf(definition)])),
      ...sandboxOptions,
    },
    examples: [name, ...(words.length === 0 ? [] : [[name, ...words].join(' ')])].slice(
      needsOption(fields) ? 1 : 0,
    ),
    notes: subject === undefined ? [] : [{ title: 'Without an argument', lines: [subjects[subject][1]] }],
    exitCodes: exitCodesOfMove('done'),
    async run({ args, options }) {
      const body = Object.fromEntries(
        fields.map(([field, definition]) => [field, enteredValue(optionName(field), definition, options)]),
      );
      if (body['complete'] && body['cancel'])
        throw usageFailure('Expected `--complete` or `--cancel`, not both.');
      const sandbox = connectSandbox(options);
      const chosen = subject === undefined ? undefined : await choose(sandbox, subject, args[0]);
      const target = path.replace(':id', encodeURIComponent(chosen?.id ?? ''));
      const { result: answer, deliveries } = await sandbox.move(method, target, body);
      const { uuid, instructionId, amount = chosen?.amount } = result.parse(answer);
      const language = languageOf(options);
      const values: Readonly<Record<string, unknown>> = {
        ...Object(answer),
        reference: chosen?.referenceCode ?? Object(answer).referenceCode,
        uuid: chosen?.uuid ?? instructionId ?? uuid,
        result: uuid,
        amount: amount === undefined ? undefined : money(amount, language),
        outcome: body['fail'] === undefined ? 'made' : `failed with ${body['fail']}`,
        name: body['name'],
      };
      return reportMove({
        summary: fill(control.done?.[language] ?? control.label[language], values),
        details: scheduledLines(answer),
        data: { ...chosen?.identity, ...control.data?.(Object(answer)) },
        deliveries,
        language,
        json: options.has('json'),
      });
    },
  };
}

function needsOption(fields: readonly (readonly [string, Field])[]): boolean {
  return fields.some(([, { schema }]) => !schema.safeParse(undefined).success);
}

/** `authorizeOnly` is `--authorize-only`. */
export function optionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function optionOf({ input, label, choices }: Field) {
  const about = choices === undefined ? label[0] : `${label[0]}: ${choices.join(', ')}`;
  const value = { text: 'text', amount: 'n', number: 'n', json: 'json', choice: 'name', flag: undefined }[
    input
  ];
  return value === undefined ? { about } : { value, about };
}

/** What was typed for a field. @throws `CliFailure` for a value that cannot be meant */
function enteredValue(name: string, { input, schema, choices = [] }: Field, options: Options): unknown {
  if (input === 'flag') return options.has(name) || undefined;
  const text = options.text(name);
  if (text === undefined) {
    if (schema.safeParse(undefined).success) return undefined;
    throw usageFailure(`Expected \`--${name}\`${input === 'amount' ? `, such as \`--${name} 150\`` : ''}.`);
  }
  switch (input) {
    case 'amount':
      return options.amount(name);
    case 'number':
      return options.integer(name, { least: 1, most: 1_000_000, otherwise: 1 });
    case 'json':
      return parseJson(name, text);
    case 'choice': {
      const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
      if (found !== undefined) return found;
      throw usageFailure(
        `Expected \`--${name}\` to be one of ${choices.join(', ')}.${didYouMean(text, choices)}`,
      );
    }
    default:
      return text;
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageFailure(`Expected \`--${name}\` to be JSON.`);
  }
}

function inShell(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^[\w.:/=-]+$/.test(text) ? text : `'${text}'`;
}

function fill(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_mark, name) => String(values[name] ?? ''));
}

const schedule = z.looseObject({
  scheduledPayments: z.array(z.looseObject({ instructionId: z.string(), dueDate: z.string() })),
});

/** The payments that `pay` has scheduled. */
function scheduledLines(answer: unknown): string[] {
  const { data } = schedule.safeParse(answer);
  return (data?.scheduledPayments ?? []).map(
    ({ instructionId, dueDate }) => `scheduled: ${instructionId}, due ${dueDate}`,
  );
}
