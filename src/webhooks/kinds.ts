import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ConfigurationError } from '../errors/configuration-error';
import { type DocumentedNotification, documentedNames } from '../service/notifications';
import type { OrderReference, ReceivedNotification } from '../service/notifications/notification';
import type { ValidationIssue } from '../shared/validation-issue';
import { checkFunction } from '../values/option-checks';

/** A merchant's own kind of notification. */
export interface NotificationDefinition<Kind extends string, Payload> {
  /** What to call it; also the name of its callback. */
  readonly kind: Kind;
  /**
   * Whether a body is of this kind. Called before the documented kinds are tried, with the body and the query
   * parameters of the URL it was sent to.
   */
  readonly match: (body: Readonly<Record<string, unknown>>, query: URLSearchParams) => boolean;
  /** The schema of the body: any synchronous Standard Schema, such as one of zod, Valibot or ArkType. */
  readonly schema: StandardSchemaV1<unknown, Payload>;
  /** The identity of what the notification is about, such as its uuid: never empty, never shared by two things. */
  readonly subject: (payload: Payload) => string;
  /** What it reports about that, such as its status. Leave it out if there is only one notification per subject. */
  readonly state?: ((payload: Payload) => string) | undefined;
  /**
   * What stays the same each time the service repeats it, such as its amount and its reference: a repeat with other
   * content is reported as `unexpected_repeat`. The store keeps a hash of its JSON. Default: the body without texts that
   * are date-times.
   */
  readonly content?: ((payload: Payload) => unknown) | undefined;
  /**
   * Whose order it is about, with `createOrders`: by the uuid of its transaction, else by its reference. `context.order`
   * is that order then. Default: none.
   */
  readonly order?: ((payload: Payload) => OrderReference) | undefined;
}

/** Any definition, for where the payload does not matter. */
// biome-ignore lint/suspicious/noExplicitAny: a payload is both input and output, so only `any` covers all definitions
export type AnyDefinition = NotificationDefinition<string, any>;

/** The notification of a defined kind. */
export type DefinedNotification<Definition extends AnyDefinition> =
  Definition extends NotificationDefinition<infer Kind, infer Payload>
    ? ReceivedNotification & {
        /** The `kind` of the definition. */
        readonly kind: Kind;
        /** What the definition's `schema` made of the body. */
        readonly payload: Payload;
      }
    : never;

/**
 * A notification of none of the documented kinds. The document does not show those of the recurring journey and of
 * scheduled payments (section 6.1). Describe the ones you receive with `defineNotification`.
 */
export interface UnrecognizedNotification extends ReceivedNotification {
  /**
   * `unrecognized:` and the SHA-256 of the body's JSON, with the fields in the order they came. White space does not
   * matter.
   */
  readonly key: string;
  /** None of the documented kinds, and none of yours. */
  readonly kind: 'unrecognized';
  /** Why it is not of the kind it seems to be; missing if it resembles none. Only the handler sets this. */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/**
 * A notification, told apart by `kind`.
 *
 * @typeParam Kinds - the merchant's own definitions
 */
export type Notification<Kinds extends readonly AnyDefinition[] = readonly []> =
  | DocumentedNotification
  | UnrecognizedNotification
  | DefinedNotification<Kinds[number]>;

/**
 * Describes a kind of notification that the document does not show, so that it is parsed, typed, dispatched and
 * deduplicated like the others. Pass the result in `kinds`.
 *
 * @example
 * ```ts
 * // `your…` stands for the names of the fields that you receive.
 * const charge = defineNotification({
 *   kind: 'charge',
 *   match: (body) => 'yourChargeId' in body,
 *   schema: z.looseObject({ yourChargeId: z.string(), yourStatus: z.string(), yourAttempt: z.number() }),
 *   subject: ({ yourChargeId }) => yourChargeId,
 *   state: ({ yourStatus, yourAttempt }) => `${yourAttempt}-${yourStatus}`,
 * });
 * ```
 *
 * @throws `ConfigurationError` for a `kind` that is missing or the name of a documented kind, a `schema` that is not a
 *   Standard Schema, or another part that is not a function
 */
export function defineNotification<const Kind extends string, Schema extends StandardSchemaV1>(
  definition: Omit<NotificationDefinition<Kind, StandardSchemaV1.InferOutput<Schema>>, 'schema'> & {
    readonly schema: Schema;
  },
): NotificationDefinition<Kind, StandardSchemaV1.InferOutput<Schema>> {
  if (typeof definition !== 'object' || definition === null) {
    throw new ConfigurationError('Expected `defineNotification({ kind, match, schema, subject })`.');
  }
  const { kind, match, schema, subject, state, content, order } = definition;
  if (typeof kind !== 'string' || kind === '' || documentedNames.includes(kind)) {
    throw new ConfigurationError(
      'Expected `kind` to be a name of your own: the names of the documented kinds are taken.',
    );
  }
  if (typeof schema?.['~standard']?.validate !== 'function') {
    throw new ConfigurationError(
      'Expected `schema` to be a Standard Schema, such as one of zod, Valibot or ArkType.',
    );
  }
  checkFunction('match', match, '(body, query) => boolean');
  checkFunction('subject', subject, '(payload) => string');
  if (state !== undefined) checkFunction('state', state, '(payload) => string');
  if (content !== undefined) checkFunction('content', content, '(payload) => [payload.amount]');
  if (order !== undefined) checkFunction('order', order, '(payload) => ({ uuid })');
  return definition as NotificationDefinition<Kind, StandardSchemaV1.InferOutput<Schema>>;
}

/**
 * Checks each definition again, because it may not come from `defineNotification`.
 *
 * @throws `ConfigurationError` for the first one that cannot work, and for anything that is not a list
 */
export function checkKinds(kinds: readonly AnyDefinition[]): void {
  if (!Array.isArray(kinds)) {
    throw new ConfigurationError('Expected `kinds` to be a list of definitions: `kinds: [charge]`.');
  }
  for (const definition of kinds) defineNotification(definition);
}
