import { ConfigurationError, type ValidationIssue } from '../errors';
import { isUndamaged, MAX_IDENTITY_LENGTH } from '../schemas/checks';
import { type PayoutPayload, payoutPayloadSchema } from '../schemas/notifications/payout';
import { type RefundPayload, refundPayloadSchema } from '../schemas/notifications/refund';
import { type ReversalPayload, reversalPayloadSchema } from '../schemas/notifications/reversal';
import { type SalePayload, salePayloadSchema } from '../schemas/notifications/sale';
import { type Schema, validate } from '../schemas/schema';
import type { AnyDefinition } from './define-notification';
import type {
  DocumentedNotification,
  Notification,
  ReadNotification,
  UnrecognizedNotification,
} from './notification';
import { encodePart, type Identity, identify, identifyUnrecognized } from './notification-key';
import { type QuerySource, readQuery } from './query';
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
  source: QuerySource,
  kinds: Kinds | undefined,
): Recognized<Notification<Kinds>> | Refused {
  if (kinds !== undefined && kinds.length > 0) {
    const query = readQuery(source);
    const own = kinds.find(({ match }) => match(raw, query));
    if (own !== undefined) return recognizeOwn(raw, own) as Recognized<Notification<Kinds>> | Refused;
  }
  return recognizeDocumented(raw, source);
}

function recognizeDocumented(
  raw: JsonObject,
  source: QuerySource,
): Recognized<DocumentedNotification | UnrecognizedNotification> | Refused {
  const shape = chooseShape(raw, source);
  switch (shape) {
    case 'sale':
      return parse(raw, saleKind(raw), salePayloadSchema, identifySale);
    case 'reversal':
      return parse(raw, shape, reversalPayloadSchema, identifyReversal);
    case 'refund':
      return parse(raw, shape, refundPayloadSchema, identifyRefund);
    case 'payout':
      return parse(raw, shape, payoutPayloadSchema, identifyPayout);
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
  kind: Kind,
  schema: Schema<unknown, Payload>,
  identityOf: (payload: Payload) => Identity,
): Recognized<ReadNotification & { readonly kind: Kind; readonly payload: Payload }> | Refused {
  const result = validate(schema, raw);
  if (result.issues !== undefined) return result;
  const { value: payload, leftOut } = result;
  const identity = identityOf(payload);
  const notification = { kind, payload, raw, key: identity.key };
  // A notification as documented, which nearly all are, has no such field.
  return {
    notification: leftOut.length === 0 ? notification : { ...notification, issues: leftOut },
    identity,
  };
}

function saleKind({ newStatus }: { readonly newStatus?: unknown }) {
  return newStatus === 'PAID' ? 'payment' : 'saleStatus';
}

/** Of both kinds of a sale, so that nobody ships it and takes it back at the same time. */
function identifySale({ saleToken, newStatus }: SalePayload): Identity {
  return identify('payment', saleToken, encodePart(newStatus));
}

function identifyReversal({ uuid, status }: ReversalPayload): Identity {
  return identify('reversal', uuid, encodePart(status));
}

/** By the refund's own uuid: the partial refunds of a sale share its `saleToken`. */
function identifyRefund({ refund, status }: RefundPayload): Identity {
  return identify('refund', refund.uuid, encodePart(status));
}

function identifyPayout({ uuid, success, status }: PayoutPayload): Identity {
  return identify('payout', uuid, `${success}:${encodePart(status)}`);
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
  if (![id, ...states].every(isIdentifying)) {
    const message =
      `expected the subject and state of your kind ${kind} to be non-empty text of at most ` +
      `${MAX_IDENTITY_LENGTH} characters, without U+FFFD, which stands for bytes that are no UTF-8`;
    return { issues: [{ path: [], message }] };
  }
  const identity = identify(encodePart(kind), String(id), states.map(String).map(encodePart).join(''));
  return { notification: { kind, payload: result.value, raw, key: identity.key }, identity };
}

/** Of a documented kind, its schema asks the same. */
function isIdentifying(part: unknown): boolean {
  return typeof part === 'string' && part !== '' && part.length <= MAX_IDENTITY_LENGTH && isUndamaged(part);
}
