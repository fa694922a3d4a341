import type { FailedPayout, PayoutErrorCode } from '../schemas/notifications/payout';
import type { OpenEnum } from '../schemas/shared';

/** Why a payout failed. */
export interface PayoutFailure {
  /** The failure code; `undefined` when the notification has none. */
  readonly code: OpenEnum<PayoutErrorCode> | undefined;
  /** What the document says of the code (section 7.1); `undefined` for a code that it does not explain. */
  readonly meaning: string | undefined;
  /** The bank's own words, where the notification carries any after the code. */
  readonly reason: string | undefined;
}

const MEANINGS: Readonly<Record<string, string>> = {
  PE0001: 'The bank details provided are not valid',
  PE0002: 'The account holder does not match the provided identification document',
  PE0003: 'The destination account does not accept transfers',
  PE0004: 'Other reasons',
} satisfies Record<PayoutErrorCode, string>;

/**
 * Explains a failed payout (document sections 6.5 and 7.1). `error_code` is read first, then `message`; in either, a
 * reason of the bank may follow the code, as in `PE0003 - account closed`.
 *
 * @param payload - the payload of a `payout` notification with `success: false`
 */
export function payoutFailure(payload: Pick<FailedPayout, 'error_code' | 'message'>): PayoutFailure {
  const fromCode = readCode(payload.error_code);
  const fromMessage = readCode(payload.message);
  const code = fromCode?.code ?? (payload.error_code || fromMessage?.code);
  const sameCode = fromMessage?.code === code ? fromMessage : undefined;
  return {
    code,
    meaning: code !== undefined && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined,
    reason: fromCode?.reason ?? sameCode?.reason,
  };
}

function readCode(text: string | null | undefined): { code: string; reason: string | undefined } | undefined {
  const match = /\b(PE\d{4})\b(.*)/s.exec(text ?? '');
  if (match?.[1] === undefined) return undefined;
  const reason = match[2]?.replace(/^[\s:;,.–—-]+/, '').trim();
  return { code: match[1], reason: reason || undefined };
}
