import * as z from 'zod/mini';
import { isNotEmpty, isShort, isUndamaged, MAX_IDENTITY_LENGTH, MAX_LIST_LENGTH } from './checks';

/**
 * A value of an open list. The document shows some values, and says that it does not show the full list, so editors
 * suggest the known ones and any other text is accepted.
 */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/**
 * A field that nothing depends on. It may be missing or null, and a value of another type is left out of the result:
 * users of strict libraries lose money to validation that throws after a success.
 */
// @__NO_SIDE_EFFECTS__
export function maybe<Inner extends z.ZodMiniType>(inner: Inner) {
  // The same as `z.catch`. Calling that would bundle all of zod's helpers, about 4 KiB compressed.
  const lenient = new z.ZodMiniCatch({ type: 'catch', innerType: inner, catchValue: () => undefined });
  return z.nullish(lenient as z.ZodMiniCatch<Inner>);
}

/** A number, or a text of one such as `59.70`. */
const NUMBER_AS_TEXT = /^-?\d+(\.\d+)?$/;

/** An amount that nothing depends on. One that came as text is read as the number that it says. */
// @__NO_SIDE_EFFECTS__
export function maybeAmount() {
  const catchValue = ({ input }: { readonly input: unknown }) =>
    typeof input === 'string' && NUMBER_AS_TEXT.test(input) ? Number(input) : undefined;
  const innerType = z.number();
  const lenient = new z.ZodMiniCatch({ type: 'catch', innerType, catchValue: catchValue as never });
  return z.nullish(lenient as z.ZodMiniCatch<typeof innerType>);
}

/**
 * A list that nothing depends on. zod looks at the length first: too many elements would block the process for
 * seconds.
 */
// @__NO_SIDE_EFFECTS__
export function maybeList<Item extends z.ZodMiniType>(item: Item) {
  return maybe(z.array(item).check(z.maxLength(MAX_LIST_LENGTH)));
}

/** The schema of an open list: any text. */
// @__NO_SIDE_EFFECTS__
export function openEnum<Known extends string>(): z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>> {
  return z.string();
}

/** An object whose fields are not documented. */
// @__NO_SIDE_EFFECTS__
export function undocumentedObject() {
  return z.looseObject({});
}

/** Text that is not empty. */
// @__NO_SIDE_EFFECTS__
export function nonEmptyText() {
  return z.string().check(z.refine(isNotEmpty, { error: 'expected a non-empty string' }));
}

const short = () =>
  z.refine<string>(isShort, { error: `expected at most ${MAX_IDENTITY_LENGTH} characters` });
const undamaged = () =>
  z.refine<string>(isUndamaged, {
    error: 'expected text without U+FFFD, which stands for bytes that are not UTF-8',
  });

/** The identity of a notification's subject: two subjects without one would be taken for the same. */
// @__NO_SIDE_EFFECTS__
export function identity() {
  return nonEmptyText().check(short(), undamaged());
}

/** The state that a notification reports. */
// @__NO_SIDE_EFFECTS__
export function state<Known extends string>(): z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>> {
  return z.string().check(short(), undamaged());
}

/**
 * A receipt may be null, or the text `null`; both read as `null`. The document says so of a refund's (section 6.4), and
 * only that it may be null of a reversal's (6.3); that a payout's may be is this library's reading. Beside the schema,
 * so that the generated guard can confirm such a payload.
 */
export function readReceipt<Payload extends { receipt?: string | null | undefined }>(
  payload: Payload,
): Payload {
  return payload.receipt === 'null' ? { ...payload, receipt: null } : payload;
}

/** An identity document of a person or company (document sections 2.1 to 2.3). */
export interface IdentityDocument {
  /** Kind of document; `CPF` is a known value. */
  type?: OpenEnum<'CPF'> | null | undefined;
  /** Number of the document. Personal data. */
  number?: string | null | undefined;
}

export const identityDocumentObject = z.looseObject({
  type: maybe(openEnum<'CPF'>()),
  number: maybe(z.string()),
});

/** A telephone (document sections 2.1 to 2.3). */
export interface Phone {
  /** Kind of telephone; `MOBILE` is a known value. */
  type?: OpenEnum<'MOBILE'> | null | undefined;
  /** Telephone number. Personal data. */
  number?: string | null | undefined;
}

export const phoneObject = z.looseObject({
  type: maybe(openEnum<'MOBILE'>()),
  number: maybe(z.string()),
});

/** A bank account that money goes to (document sections 2.3 and 6.3 to 6.5). Personal data. */
export interface BankDetails {
  /** Bank that receives the funds. */
  bank?: string | null | undefined;
  /** Branch of the bank. */
  branch?: string | null | undefined;
  /** Account number. */
  account?: string | null | undefined;
}

export const bankDetailsObject = z.looseObject({
  bank: maybe(z.string()),
  branch: maybe(z.string()),
  account: maybe(z.string()),
});
