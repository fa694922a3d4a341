import * as z from 'zod/mini';
import { isMaybeText } from './guards';
import { isObjectOf } from './object-guard';

/**
 * A value of an open list. The document shows some values and says that the list is not complete, so an editor
 * completes the known ones and any other text is accepted.
 */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/** The schema of an open list: any text. */
// @__NO_SIDE_EFFECTS__
export function openEnum<Known extends string>(): z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>> {
  return z.string();
}

/** Text that says something, for what identifies a thing: two things without an identity would be taken for one. */
export const identity = () => z.string().check(z.minLength(1, 'expected a non-empty string'));

/** An identity document of a person or company. */
export interface IdentityDocument {
  /** Kind of document; `CPF` is a known value (document sections 2.1 to 2.3). */
  type?: OpenEnum<'CPF'> | null | undefined;
  /** Number of the document. Personal data (document sections 2.1 to 2.3). */
  number?: string | null | undefined;
}

export const identityDocumentObject = () =>
  z.looseObject({
    type: z.nullish(openEnum<'CPF'>()),
    number: z.nullish(z.string()),
  });

export const isIdentityDocument = isObjectOf<IdentityDocument>({ type: isMaybeText, number: isMaybeText });

/** A telephone. */
export interface Phone {
  /** Kind of telephone; `MOBILE` is a known value (document sections 2.1 to 2.3). */
  type?: OpenEnum<'MOBILE'> | null | undefined;
  /** Telephone number. Personal data (document sections 2.1 to 2.3). */
  number?: string | null | undefined;
}

export const phoneObject = () =>
  z.looseObject({
    type: z.nullish(openEnum<'MOBILE'>()),
    number: z.nullish(z.string()),
  });

export const isPhone = isObjectOf<Phone>({ type: isMaybeText, number: isMaybeText });

/** A bank account that money goes to. Personal data. */
export interface BankDetails {
  /** Bank that receives the funds (document sections 2.3 and 6.3 to 6.5). */
  bank?: string | null | undefined;
  /** Branch of the bank (document sections 2.3 and 6.3 to 6.5). */
  branch?: string | null | undefined;
  /** Account number (document sections 2.3 and 6.3 to 6.5). */
  account?: string | null | undefined;
}

export const bankDetailsObject = () =>
  z.looseObject({
    bank: z.nullish(z.string()),
    branch: z.nullish(z.string()),
    account: z.nullish(z.string()),
  });

/** A receipt may be null, or the text `null` (document section 6.4); both read as `null`. */
export const receiptText = () =>
  z.pipe(
    z.nullable(z.string()),
    z.transform((receipt: string | null) => (receipt === 'null' ? null : receipt)),
  );
