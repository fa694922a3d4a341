import type { BankDetails } from './shared';

// The quick yes for a notification that is as documented, which nearly all are: zod/mini takes some microseconds to
// say it, because it makes a copy and room for issues. Each guard stands beside the schema that it speaks for, and
// says no where it is not sure; the schema then has the last word. A property test holds the two together.

/** The fields that a payload may have, before anybody has looked at them. */
export type Unchecked<Payload> = { readonly [Field in keyof Payload]?: unknown };

/** An object with fields. zod leaves out a field called `__proto__`, so that one with it is left to the schema. */
export function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')
  );
}

export function isIdentity(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isMaybeText(value: unknown): value is string | null | undefined {
  return typeof value === 'string' || value === null || value === undefined;
}

export function isMaybeNumber(value: unknown): value is number | null | undefined {
  return Number.isFinite(value) || value === null || value === undefined;
}

export function isMaybeBankDetails(value: unknown): value is BankDetails | null | undefined {
  if (value === null || value === undefined) return true;
  if (!hasFields(value)) return false;
  const { bank, branch, account }: Unchecked<BankDetails> = value;
  return isMaybeText(bank) && isMaybeText(branch) && isMaybeText(account);
}

/** A receipt may be the text `null` (document section 6.4). The payload then is a copy: what came stays as it came. */
export function withReceipt<Payload extends { receipt?: string | null | undefined }>(
  payload: Payload,
): Payload {
  return payload.receipt === 'null' ? { ...payload, receipt: null } : payload;
}
