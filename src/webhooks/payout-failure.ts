import type { PixCodeExplanation } from '../pix/explain-pix-code';
import type { OpenEnum } from '../service/fields';
import { type PayoutErrorCode, payoutErrorMeanings } from '../service/notifications/payout';

/** Why a payout failed. */
export interface PayoutFailure {
  /** The failure code; `undefined` when the notification has none. */
  readonly code: OpenEnum<PayoutErrorCode> | undefined;
  /** What the document says about the code (section 7.1); `undefined` for a code that it does not explain. */
  readonly meaning: string | undefined;
  /** The bank's own words, if the notification has any. */
  readonly reason?: string | undefined;
  /**
   * What the bank's code means (`AC07`, for example). Only if you pass `explainPixCode` of `pix-automatic-sdk/pix`, and
   * the notification has a code that it knows.
   */
  readonly explanation?: PixCodeExplanation | undefined;
}

/** The fields of a payout that are read. */
interface PayoutOutcome {
  readonly success: boolean;
  readonly error_code?: string | null | undefined;
  readonly message?: string | null | undefined;
}

const MEANINGS: Readonly<Record<string, string>> = payoutErrorMeanings;

/** The codes that a reason may follow. */
const WITH_REASON: readonly unknown[] = ['PE0003', 'PE0004'];

/**
 * Explains a failed payout (document sections 6.5 and 7.1); `undefined` for one that did not fail.
 *
 * The document says that for `PE0003` and `PE0004` a reason may follow, and that `message` gives the context. So
 * `reason` is the message, after ` - ` where there is one. An `error_code` with a text after the code is read too. Both
 * forms are not in the document: services of this kind send them.
 *
 * @param payload - the payload of a `payout` notification
 * @param explainPixCode - from `pix-automatic-sdk/pix`, to explain the bank's own code too; for another language, a
 *   function of yours that calls it
 */
export function payoutFailure(
  payload: PayoutOutcome,
  explainPixCode?: (code: string, context: 'payout') => PixCodeExplanation | undefined,
): PayoutFailure | undefined {
  if (payload.success !== false) return undefined;
  const { error_code, message } = payload;
  const [, documented, text = ''] = /^\s*(PE\d{4})\b(.*)/s.exec(error_code ?? '') ?? [];
  const code = documented ?? (error_code || undefined);
  const meaning = code !== undefined && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  const fromMessage = WITH_REASON.includes(code) ? afterDash(message ?? '') : '';
  const reason = text.replace(/^[\s:;,.–—-]+/, '').trim() || fromMessage.trim();
  return {
    code,
    meaning,
    ...(reason !== '' && reason !== meaning && { reason }),
    ...(explainPixCode && {
      explanation: explainBankCode([error_code, message].join(' '), explainPixCode),
    }),
  };
}

function afterDash(message: string): string {
  const dash = message.indexOf(' - ');
  return dash === -1 ? message : message.slice(dash + 3);
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
