import { ConfigurationError, type ValidationIssue } from '../../errors';
import { isShort, isUndamaged, MAX_IDENTITY_LENGTH } from '../../service/checks';
import type { DocumentedNotification } from '../../service/notifications';
import type { DocumentedKind, ReadNotification } from '../../service/notifications/notification';
import { validate } from '../../service/schema';
import { chooseKind } from './choose-kind';
import type { AnyDefinition } from './define-notification';
import type { Notification, UnrecognizedNotification } from './notification';
import { encodePart, type Identity, identify, identifyUnrecognized } from './notification-key';
import { type QuerySource, readQuery } from './query';

/** A JSON object, as a body holds it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A notification with its identity. */
export interface Recognized<Given> {
  readonly notification: Given;
  readonly identity: Identity;
  readonly issues?: undefined;
}

/** Why a body is not of the kind it seems to be. */
export interface Refused {
  readonly issues: readonly ValidationIssue[];
}

/** Recognizes the notification in a body; tries the merchant's own kinds first. */
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
  const kind = chooseKind(raw, source);
  if (kind === 'unrecognized') return recognizeNone(raw);
  if ('issues' in kind) return kind;
  // The functions of a kind take that kind's payload. Its own `schema` makes the payload, so they fit.
  return readPayload(raw, kind as DocumentedKind<AnyDocumented>) as
    | Recognized<DocumentedNotification>
    | Refused;
}

/** Makes the notification for a body of no known kind, or with issues that keep it from being of one. */
export function recognizeNone(
  raw: JsonObject,
  issues?: readonly ValidationIssue[],
): Recognized<UnrecognizedNotification> {
  const identity = identifyUnrecognized(raw);
  const notification: UnrecognizedNotification = { kind: 'unrecognized', raw, key: identity.key };
  return { notification: issues === undefined ? notification : { ...notification, issues }, identity };
}

type AnyDocumented = ReadNotification & { readonly kind: string; readonly payload: unknown };

function readPayload(
  raw: JsonObject,
  { kind, schema, subjectKind, subject, state }: DocumentedKind<AnyDocumented>,
): Recognized<AnyDocumented> | Refused {
  const result = validate(schema, raw);
  if (result.issues !== undefined) return result;
  const { value: payload, leftOut } = result;
  const identity = identify(subjectKind, subject(payload), state(payload));
  const notification = { kind, payload, raw, key: identity.key };
  // Nearly all notifications are as documented, and have no field `issues`.
  return {
    notification: leftOut.length === 0 ? notification : { ...notification, issues: leftOut },
    identity,
  };
}

function recognizeOwn(raw: JsonObject, { kind, schema, subject, state }: AnyDefinition) {
  const result = schema['~standard'].validate(raw);
  if (result instanceof Promise) {
    // Nothing awaits this promise, and an unhandled rejection would end the process.
    result.catch(() => undefined);
    throw new ConfigurationError(`Expected the schema of your kind \`${kind}\` to be synchronous.`);
  }
  if (result.issues !== undefined) {
    // Keep only the paths: the validator's messages may quote the value, which may be personal data.
    const issues = result.issues.map(({ path = [] }) => ({
      path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
      message: `refused by the schema of your kind ${kind}`,
    }));
    return { issues };
  }
  const id: unknown = subject(result.value);
  const states: readonly unknown[] = state === undefined ? [] : [state(result.value)];
  if (![id, ...states].every(isIdentifying)) {
    const message =
      `expected the subject and state of your kind ${kind} to be non-empty text of at most ` +
      `${MAX_IDENTITY_LENGTH} characters, without U+FFFD, which stands for bytes that are no UTF-8`;
    return { issues: [{ path: [], message }] };
  }
  const identity = identify(encodePart(kind), String(id), states.map(String));
  return { notification: { kind, payload: result.value, raw, key: identity.key }, identity };
}

/** For documented kinds, the schema checks the same. */
function isIdentifying(part: unknown): boolean {
  return typeof part === 'string' && part !== '' && isShort(part) && isUndamaged(part);
}
