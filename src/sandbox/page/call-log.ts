import type * as z from 'zod/mini';
import type { OperationName } from '../../errors';
import { parseObject } from '../../shared/objects';
import { similarNames } from '../../values/option-checks';
import type { Fault } from '../faults';
import { sandboxOperations } from '../model/operations';

/** A call of the merchant's client, as the page lists it: its bodies come only when somebody asks for them. */
export interface ClientCall {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationName;
  /** `undefined` when a fault, or the caller, ended the connection. */
  readonly status: number | undefined;
  readonly fault: Fault['kind'] | undefined;
  readonly durationMs: number;
  /** The row of the table of inventions that the answer comes from. */
  readonly invention: string | undefined;
  /** UUID of the journey that it is about, if known. */
  readonly journey: string | undefined;
  /** The fields of its body that the document does not have, such as `shopper.docment`. */
  readonly unknownFields: readonly string[];
}

/** What was sent and answered. */
export interface CallBodies {
  readonly request: string;
  readonly answer: string;
}

/** How many calls are kept: the newest. */
const MAX_CALLS = 500;
/** Larger bodies are cut: a thousand of them must not fill the memory. */
const MAX_TEXT = 16_000;

/** The newest calls, for the page. */
export class CallLog {
  #entries: { readonly call: ClientCall; readonly bodies: CallBodies }[] = [];
  #last = 0;

  /** Grows with every call. */
  get revision(): number {
    return this.#last;
  }

  /** The newest first. */
  get calls(): readonly ClientCall[] {
    return this.#entries.map(({ call }) => call).reverse();
  }

  bodies(id: number): CallBodies | undefined {
    return this.#entries.find(({ call }) => call.id === id)?.bodies;
  }

  add(call: Omit<ClientCall, 'id'>, { request, answer }: CallBodies): void {
    const bodies = { request: cut(request), answer: cut(answer) };
    this.#entries.push({ call: { ...call, id: ++this.#last }, bodies });
    if (this.#entries.length > MAX_CALLS) this.#entries.shift();
  }
}

function cut(text: string): string {
  // A copy: a mere part of a text keeps all of it in memory.
  return text.length > MAX_TEXT ? `${structuredClone(text.slice(0, MAX_TEXT))} …` : text;
}

/** More of them would not help the reader. */
const MAX_UNKNOWN_FIELDS = 10;

/**
 * The fields of a request body that the document does not have: a name may be misspelt. Only names, never a value, which may be personal data.
 */
export function unknownFieldsOf(operation: OperationName, body: string): string[] {
  const object = sandboxOperations[operation].request;
  const request = parseObject(body);
  if (object === undefined || request === undefined) return [];
  return [...unknownFields(object, request, '')].slice(0, MAX_UNKNOWN_FIELDS);
}

/** As many names as a reader takes in. */
const MAX_LIKELY_NAMES = 5;

/** The names that an unknown field may have been meant as: those that look like it, else all beside it if they are few. */
export function likelyNames(operation: OperationName, field: string): string[] {
  const path = field.split('.');
  const name = path.pop() ?? '';
  let schema: z.core.$ZodType | undefined = sandboxOperations[operation].request;
  for (const outer of path) schema = schema && fieldOf(schema, outer);
  const known = Object.keys((schema && shapeOf(schema)) ?? {});
  const similar = similarNames(name, known);
  if (similar.length > 0) return similar;
  return known.length <= MAX_LIKELY_NAMES ? known : [];
}

/** The values that the document shows for its open lists (section 2.1). */
export const SHOWN_VALUES: Readonly<Record<string, string>> = {
  'shopper.document.type': 'CPF',
  'shopper.phone.type': 'MOBILE',
  'recurrence.calendar.periodicity': 'MONTHLY',
};

/**
 * The fields of a checkout whose value the document does not show. The sandbox takes them, and the service may not. Only
 * their names: a value may be personal data.
 */
export function unknownValuesOf(operation: OperationName, body: string): string[] {
  const valueAt = checkoutValues(operation, body);
  return Object.entries(SHOWN_VALUES).flatMap(([path, shown]) => {
    const value = valueAt(path);
    return value === undefined || value === null || value === shown ? [] : [path];
  });
}

/** Reads a field of a checkout by its path; of any other body, `undefined`. */
function checkoutValues(operation: OperationName, body: string): (path: string) => unknown {
  const request = operation === 'createRecurringCheckout' ? parseObject(body) : undefined;
  return (path) => path.split('.').reduce<unknown>((at, name) => Object(at)[name], request);
}

/** 90 days. Half an hour in milliseconds would be 3.4 years of minutes. */
const LONG_MAX_AGE_MINUTES = 90 * 24 * 60;

/** The document states no limit of a reference: docs/orders.md says to stay below this. */
const LONG_REFERENCE = 50;

/** A field of a checkout whose value the service may refuse, although the document does not say so. */
export type DoubtfulField =
  | 'referenceCode'
  | 'maxAge'
  | 'recurrence.calendar.initialDate'
  | 'shopper.document.number';

/**
 * The fields of a checkout whose value is probably a mistake. Only their names: a value may be personal data.
 *
 * @param today - `yyyy-MM-dd`
 */
export function doubtfulValuesOf(operation: OperationName, body: string, today: string): DoubtfulField[] {
  const valueAt = checkoutValues(operation, body);
  const doubts: Readonly<Record<DoubtfulField, (value: unknown) => boolean>> = {
    referenceCode: (key) =>
      typeof key === 'string' && (key.length > LONG_REFERENCE || key.includes('@') || isCpf(key)),
    maxAge: (minutes) => typeof minutes === 'number' && minutes > LONG_MAX_AGE_MINUTES,
    'recurrence.calendar.initialDate': (date) => typeof date === 'string' && date < today,
    'shopper.document.number': (number) =>
      typeof number === 'string' && valueAt('shopper.document.type') === 'CPF' && !isCpf(number),
  };
  return (Object.keys(doubts) as DoubtfulField[]).filter((path) => doubts[path](valueAt(path)));
}

/** Whether the digits are those of a CPF: nine, not all the same, and two check digits. */
function isCpf(number: string): boolean {
  const digits = number.replace(/[.\- ]/g, '');
  if (!/^\d{11}$/.test(digits) || /^(.)\1+$/.test(digits)) return false;
  return [9, 10].every((count) => {
    const sum = [...digits.slice(0, count)].reduce(
      (total, digit, i) => total + Number(digit) * (count + 1 - i),
      0,
    );
    return ((sum * 10) % 11) % 10 === Number(digits[count]);
  });
}

/** The fields of a request that its schema does not name, the nested ones included. */
function* unknownFields(schema: z.core.$ZodType, value: object, path: string): Iterable<string> {
  if (shapeOf(schema) === undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    const field = fieldOf(schema, name);
    if (field === undefined) yield path + name;
    else if (typeof inner === 'object' && inner !== null)
      yield* unknownFields(field, inner, `${path}${name}.`);
  }
}

function fieldOf(schema: z.core.$ZodType, name: string): z.core.$ZodType | undefined {
  const shape = shapeOf(schema) ?? {};
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

/** The fields of an object schema, also of one that is wrapped as optional or nullable. */
function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.shape;
  return def.type === 'optional' || def.type === 'nullable' ? shapeOf(def.innerType) : undefined;
}
