import type { PixCodeExplanation } from '../../pix/explain-pix-code';
import { type FailedPayout, type PayoutErrorCode, payoutErrorMeanings } from '../../service/kinds/payout';
import type { OpenEnum } from '../../service/schema/fields';

/** Why a payout failed. */
export interface PayoutFailure {
  /** The failure code; `undefined` when the notification has none. */
  readonly code: OpenEnum<PayoutErrorCode> | undefined;
  /** What the document says about the code (section 7.1); `undefined` for a code that it does not explain. */
  readonly meaning: string | undefined;
  /** The bank's own words, if the notification has any after the code. */
  readonly reason: string | undefined;
  /**
   * What the bank's code means (`AC07`, for example). Only if you pass `explainPixCode` of `pix-automatic-sdk/pix`, and
   * the notification has a code that it knows.
   */
  readonly explanation?: PixCodeExplanation | undefined;
}

const MEANINGS: Readonly<Record<string, string>> = payoutErrorMeanings;

/**
 * Explains a failed payout (document sections 6.5 and 7.1). Reads `error_code` first, then `message`; in either, the
 * bank's reason may follow the code, as in `PE0003 - account closed`.
 *
 * @param payload - the payload of a `payout` notification with `success: false`
 * @param explainPixCode - from `pix-automatic-sdk/pix`, to explain the bank's own code too; for another language, a
 *   function of yours that calls it
 */
export function payoutFailure(
  payload: Pick<FailedPayout, 'error_code' | 'message'>,
  explainPixCode?: (code: string, context: 'payout') => PixCodeExplanation | undefined,
): PayoutFailure {
  const fromCode = readCode(payload.error_code);
  const fromMessage = readCode(payload.message);
  const code = fromCode?.code ?? (payload.error_code || fromMessage?.code);
  const sameCode = fromMessage?.code === code ? fromMessage : undefined;
  return {
    code,
    meaning: code !== undefined && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined,
    reason: fromCode?.reason ?? sameCode?.reason,
    ...(explainPixCode && {
      explanation: explainBankCode(`${payload.error_code ?? ''} ${payload.message ?? ''}`, explainPixCode),
    }),
  };
}

/** Returns the explanation of the first code that has one. A code is four capitals, or two capitals and two digits. */
function explainBankCode(
  text: string,
  explain: (code: string, context: 'payout') => PixCodeExplanation | undefined,
): PixCodeExplanation | undefined {
  for (const [code] of text.matchAll(/\b[A-Z]{2}(?:[A-Z]{2}|\d{2})\b/g)) {
    const explanation = explain(code, 'payout');
    if (explanation !== undefined) return explanation;
  }
  return undefined;
}

function readCode(text: string | null | undefined): { code: string; reason: string | undefined } | undefined {
  const match = /\b(PE\d{4})\b(.*)/s.exec(text ?? '');
  if (match?.[1] === undefined) return undefined;
  const reason = match[2]?.replace(/^[\s:;,.–—-]+/, '').trim();
  return { code: match[1], reason: reason || undefined };
}
