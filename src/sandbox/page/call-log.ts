import type * as z from 'zod/mini';
import type { OperationName } from '../../errors';
import { parseObject } from '../../shared/objects';
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
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}

/** More of them would not help the reader. */
const MAX_UNKNOWN_FIELDS = 10;

/**
 * The fields of a request body that the document does not have: a name may be misspelt, and the service would not say
 * so. Only names, never a value, which may be personal data.
 */
export function unknownFieldsOf(operation: OperationName, body: string): string[] {
  const object = sandboxOperations[operation].request;
  const request = parseObject(body);
  if (object === undefined || request === undefined) return [];
  return [...unknownFields(object, request, '')].slice(0, MAX_UNKNOWN_FIELDS);
}

/** The values that the document shows for its open lists (section 2.1). */
const SHOWN_VALUES: Readonly<Record<string, string>> = {
  'shopper.document.type': 'CPF',
  'shopper.phone.type': 'MOBILE',
  'recurrence.calendar.periodicity': 'MONTHLY',
};

/**
 * The fields of a checkout whose value the document does not show. The sandbox takes them, and the service may not. Only
 * their names: a value may be personal data.
 */
export function unknownValuesOf(operation: OperationName, body: string): string[] {
  const request = operation === 'createRecurringCheckout' ? parseObject(body) : undefined;
  return Object.entries(SHOWN_VALUES).flatMap(([path, shown]) => {
    const value = path.split('.').reduce<unknown>((at, name) => Object(at)[name], request);
    return value === undefined || value === null || value === shown ? [] : [path];
  });
}

/** The fields of a request that its schema does not name, the nested ones included. */
function* unknownFields(schema: z.core.$ZodType, value: object, path: string): Iterable<string> {
  const shape = shapeOf(schema);
  if (shape === undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) yield path + name;
    else if (typeof inner === 'object' && inner !== null)
      yield* unknownFields(field, inner, `${path}${name}.`);
  }
}

/** The fields of an object schema, also of one that is wrapped as optional or nullable. */
function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.shape;
  return def.type === 'optional' || def.type === 'nullable' ? shapeOf(def.innerType) : undefined;
}
