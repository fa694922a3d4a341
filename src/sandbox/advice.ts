import type * as z from 'zod/mini';
import type { OperationName } from '../errors';
import { adviseCheckout } from '../pix/advise-checkout';
import { scheduledPaymentCancellationRequestObject } from '../service/operations/cancel-scheduled-payment';
import { recurringCheckoutRequestObject } from '../service/operations/create-recurring-checkout';
import { parseObject } from '../shared/objects';

/** A hint about a field of a call. The service may still accept the call. */
export interface CallAdvice {
  /** The field, such as `shopper.docment`. */
  readonly path: string;
  /** In English and in Portuguese. Never the field's value, which may be personal data. */
  readonly text: { readonly en: string; readonly pt: string };
}

/** More of them would not help the reader. */
const MAX_UNKNOWN_FIELDS = 10;

/** Gives hints on a request body: fields that the document does not have, and values that Pix is unlikely to accept. */
export function adviseCall(operation: OperationName, body: string, now: number): CallAdvice[] {
  const object = requestObjects[operation];
  const request = parseObject(body);
  if (object === undefined || request === undefined) return [];
  const unknown = [...unknownFields(object, request, '')].slice(0, MAX_UNKNOWN_FIELDS);
  const advice = unknown.map((path) => ({ path, text: unknownFieldText }));
  return operation === 'createRecurringCheckout' ? [...advice, ...pixAdvice(request, now)] : advice;
}

/** The body of each operation, if it has one. */
const requestObjects: Readonly<Record<OperationName, z.core.$ZodType | undefined>> = {
  createRecurringCheckout: recurringCheckoutRequestObject,
  getTransaction: undefined,
  cancelScheduledPayment: scheduledPaymentCancellationRequestObject,
};

const unknownFieldText = {
  en: 'The document has no such field. Is it misspelt? The service would not warn you.',
  pt: 'A documentação não tem este campo. Erro de digitação? O serviço não avisaria.',
};

function pixAdvice(request: object, now: number): CallAdvice[] {
  const english = adviseCheckout(request, { locale: 'en', now: new Date(now) });
  const portuguese = adviseCheckout(request, { locale: 'pt-BR', now: new Date(now) });
  return english.map(({ path, message }, index) => ({
    path: path.join('.'),
    text: { en: message, pt: portuguese[index]?.message ?? message },
  }));
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
