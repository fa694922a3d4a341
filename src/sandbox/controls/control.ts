import * as z from 'zod/mini';
import type { SandboxControls } from '../core';
import { type ControlName, type SandboxText, type Text, text } from '../text';
import { parseControlBody } from './control-body';

/** What `:id` in a control's path names. */
export type Subject =
  | 'journey'
  | 'paid-journey'
  | 'recurrence'
  | 'scheduled-payment'
  | 'reversal'
  | 'delivery';

/** How a person enters a field, on the page and in the terminal. */
export type Input = 'text' | 'amount' | 'flag' | 'json' | 'choice';

/** A field of a control's body: its schema, and how a person enters it. */
export interface Field<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly schema: Schema;
  readonly input: Input;
  readonly label: Text;
  readonly choices?: readonly string[] | undefined;
  /** What people call each choice. */
  readonly words?: Readonly<Record<string, Text>> | undefined;
  /** Left out of the page and the command line: only scripts need it. */
  readonly isForScripts?: boolean | undefined;
}

/** What a control needs to be one. Its route, command, form, `curl` and documentation are made from it. */
interface DefinitionOf<Fields extends Readonly<Record<string, Field>>> {
  /** Its command: `pay`. Its texts are `pay.label` and `pay.about`: one line, an imperative, without a full stop. */
  readonly name: ControlName;
  /** Below `/sandbox`, with `:id` where it has one: `POST /transactions/:id/pay`. */
  readonly endpoint: string;
  readonly subject?: Subject | undefined;
  /** What the terminal prints; `{reference}`, `{uuid}` and the fields of the result are replaced. */
  readonly done?: SandboxText | undefined;
  /** What `--json` prints of its result, beside the journey. */
  readonly data?: ((result: object) => object) | undefined;
  readonly fields?: Fields | undefined;
  /** No notification ever comes of it, so the terminal does not say that none was sent. */
  readonly isSilent?: boolean | undefined;
  /** The field that its command takes as the argument. */
  readonly argument?: NameOf<Fields> | undefined;
  /** Flags of which at most one is set: the page shows one choice, with the words for none of them. */
  readonly oneOf?:
    | { readonly flags: readonly FlagOf<Fields>[]; readonly label: Text; readonly none: Text }
    | undefined;
  /** A body to start from. */
  readonly example?: BodyOf<Fields> | undefined;
  /** The command line has a command of its own for it: what to type. Default for what only lists: `list`. */
  readonly typed?: string | undefined;
  run(sandbox: SandboxControls, id: string, body: BodyOf<Fields>): unknown;
}

/** The names of the fields; of no fields, none. */
type NameOf<Fields> = string extends keyof Fields ? never : keyof Fields & string;

/** The names of the fields that are switches. */
type FlagOf<Fields extends Readonly<Record<string, Field>>> = {
  [Name in NameOf<Fields>]: Fields[Name]['input'] extends 'flag' ? Name : never;
}[NameOf<Fields>];

/** An option that nothing reads. */
type Unused<Option extends string> = { readonly [Name in Option]?: undefined };

/** The options of which only the command that is made from a control knows. */
type OfCommand = 'done' | 'data' | 'argument' | 'isSilent';

/** A definition without options that nothing would use: the compiler refuses them. */
type Definition<
  Endpoint extends string,
  Fields extends Readonly<Record<string, Field>>,
> = DefinitionOf<Fields> & {
  readonly endpoint: Endpoint;
} & (Endpoint extends `GET ${string}`
    ? Unused<OfCommand | 'typed' | 'subject'>
    : (Endpoint extends `${string}:id${string}` ? { readonly subject: Subject } : Unused<'subject'>) &
        (Unused<'typed'> | (Unused<OfCommand> & { readonly typed: string })));

type BodyOf<Fields extends Readonly<Record<string, Field>>> = z.infer<
  z.ZodMiniObject<{ [Name in keyof Fields]: Fields[Name]['schema'] }, z.core.$strict>
>;

/** One thing that the payer, the bank or the service does, or a setting of the sandbox. */
export interface Control
  extends Omit<
    DefinitionOf<Readonly<Record<string, Field>>>,
    'run' | 'endpoint' | 'done' | 'oneOf' | 'argument'
  > {
  readonly argument?: string | undefined;
  readonly oneOf?:
    | { readonly flags: readonly string[]; readonly label: Text; readonly none: Text }
    | undefined;
  /** The words on its button. */
  readonly label: Text;
  readonly about: Text;
  readonly done: Text | undefined;
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, Field>>;
  run(sandbox: SandboxControls, id: string, body: string): Promise<object>;
}

/** Makes a control. Unlike the service, it refuses unknown fields. */
export function control<const Endpoint extends string, const Fields extends Readonly<Record<string, Field>>>(
  definition: Definition<Endpoint, Fields>,
): Control {
  const { endpoint, run, ...rest } = definition;
  const fields: Fields | Record<string, never> = definition.fields ?? {};
  const [method = '', path = ''] = endpoint.split(' ');
  const shape = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const schema = z.strictObject(shape);
  return {
    ...rest,
    label: text(`${rest.name}.label`),
    about: text(`${rest.name}.about`),
    done: rest.done && text(rest.done),
    fields,
    method,
    path: `/sandbox${path}`,
    typed: method === 'GET' ? 'list' : definition.typed,
    run: async (sandbox, id, body) =>
      Object((await run(sandbox, id, parseControlBody(schema, body) as BodyOf<Fields>)) ?? {}),
  };
}

/** An amount in the main unit that may be left out. */
export const amountField = (label: SandboxText) =>
  ({ schema: z.optional(z.number()), input: 'amount', label: text(label) }) as const;

/** A text that may be left out. */
export const textField = (label: SandboxText) =>
  ({ schema: z.optional(z.string()), input: 'text', label: text(label) }) as const;

/** A switch. */
export const flagField = (label: SandboxText) =>
  ({ schema: z.optional(z.boolean()), input: 'flag', label: text(label) }) as const;

/** One of a few words. */
export function choiceField<const Word extends string>(
  words: Readonly<Record<Word, Text>>,
  label: SandboxText,
) {
  const choices = Object.keys(words) as Word[];
  return {
    schema: z.optional(z.enum(choices)),
    input: 'choice',
    choices,
    words,
    label: text(label),
  } as const;
}
