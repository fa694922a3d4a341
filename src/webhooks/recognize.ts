import { ConfigurationError, type ValidationIssue } from '../errors';
import { payoutPayloadSchema } from '../schemas/notifications/payout';
import { refundPayloadSchema } from '../schemas/notifications/refund';
import { reversalPayloadSchema } from '../schemas/notifications/reversal';
import { salePayloadSchema } from '../schemas/notifications/sale';
import { type Schema, validate } from '../schemas/schema';
import type { AnyDefinition } from './define-notification';
import type {
  DocumentedNotification,
  Notification,
  ReceivedNotification,
  UnrecognizedNotification,
} from './notification';
import { type Identity, identify, identifyUnrecognized } from './notification-key';
import { chooseShape } from './shape';

/** A JSON object, as a body holds it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A notification, together with what identifies it. */
export interface Recognized<Given> {
  readonly notification: Given;
  readonly identity: Identity;
  readonly issues?: undefined;
}

/** Why a body is not of the kind it seems to be. */
export interface Refused {
  readonly issues: readonly ValidationIssue[];
}

/** The notification of a body; the merchant's own kinds are asked first. */
export function recognize<Kinds extends readonly AnyDefinition[]>(
  raw: JsonObject,
  query: URLSearchParams | undefined,
  kinds: Kinds | undefined,
): Recognized<Notification<Kinds>> | Refused {
  const own = kinds?.find(({ match }) => match(raw, query ?? new URLSearchParams()));
  if (own !== undefined) return recognizeOwn(raw, own) as Recognized<Notification<Kinds>> | Refused;
  return recognizeDocumented(raw, query);
}

function recognizeDocumented(
  raw: JsonObject,
  query: URLSearchParams | undefined,
): Recognized<DocumentedNotification | UnrecognizedNotification> | Refused {
  const shape = chooseShape(raw, query);
  switch (shape) {
    case 'sale':
      return parse(raw, salePayloadSchema, (payload) => [
        payload.newStatus === 'PAID' ? 'payment' : 'saleStatus',
        // One subject for both kinds: nobody ships a sale and takes it back at the same time.
        identify('payment', payload.saleToken, payload.newStatus),
      ]);
    case 'reversal':
      return parse(raw, reversalPayloadSchema, ({ uuid, status }) => [shape, identify(shape, uuid, status)]);
    case 'refund':
      return parse(raw, refundPayloadSchema, ({ refund, status }) => [
        shape,
        identify(shape, refund.uuid, status),
      ]);
    case 'payout':
      return parse(raw, payoutPayloadSchema, ({ uuid, success, status }) => [
        shape,
        identify(shape, uuid, String(success), status),
      ]);
    case 'unrecognized':
      return recognizeNone(raw);
    default:
      return shape;
  }
}

/** A body of no known kind, or with issues that keep it from being of one. */
export function recognizeNone(
  raw: JsonObject,
  issues?: readonly ValidationIssue[],
): Recognized<UnrecognizedNotification> {
  const identity = identifyUnrecognized(raw);
  const notification: UnrecognizedNotification = { kind: 'unrecognized', raw, key: identity.key };
  return { notification: issues === undefined ? notification : { ...notification, issues }, identity };
}

function parse<Payload, Kind extends string>(
  raw: JsonObject,
  schema: Schema<unknown, Payload>,
  describe: (payload: Payload) => readonly [Kind, Identity],
): Recognized<ReceivedNotification & { readonly kind: Kind; readonly payload: Payload }> | Refused {
  const result = validate(schema, raw);
  if (result.issues !== undefined) return result;
  const [kind, identity] = describe(result.value);
  return { notification: { kind, payload: result.value, raw, key: identity.key }, identity };
}

function recognizeOwn(raw: JsonObject, { kind, schema, subject, state }: AnyDefinition) {
  const result = schema['~standard'].validate(raw);
  if (result instanceof Promise) {
    // Nobody waits for it, and a rejection that nobody handles would end the process.
    result.catch(() => undefined);
    throw new ConfigurationError(`Expected the schema of your kind \`${kind}\` to be synchronous.`);
  }
  if (result.issues !== undefined) {
    // Only where, not what: the merchant's validator may quote the value, which may be personal data.
    const issues = result.issues.map(({ path = [] }) => ({
      path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
      message: `refused by the schema of your kind ${kind}`,
    }));
    return { issues };
  }
  const id: unknown = subject(result.value);
  const states: unknown[] = state === undefined ? [] : [state(result.value)];
  if (![id, ...states].every((part) => typeof part === 'string' && part !== '')) {
    return {
      issues: [
        { path: [], message: `expected the subject and state of your kind ${kind} to be non-empty text` },
      ],
    };
  }
  const identity = identify(kind, String(id), ...states.map(String));
  return { notification: { kind, payload: result.value, raw, key: identity.key }, identity };
}
