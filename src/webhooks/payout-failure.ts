import { ConfigurationError } from '../errors/configuration-error';
import type { OpenEnum } from '../service/fields';
import { type PayoutErrorCode, payoutErrorMeanings } from '../service/notifications/payout';
import { isObject } from '../shared/objects';

/** Why a payout failed. */
export interface PayoutFailure {
  /** The failure code; `undefined` when the notification has none. */
  readonly code: OpenEnum<PayoutErrorCode> | undefined;
  /** What the document says about the code (section 7.1); `undefined` for a code that it does not explain. */
  readonly meaning: string | undefined;
  /** The bank's own words, if the notification has any. */
  readonly reason?: string | undefined;
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
 * @throws `ConfigurationError` for anything else than a payload
 */
export function payoutFailure(payload: PayoutOutcome): PayoutFailure | undefined {
  if (!isObject(payload) || isObject(Reflect.get(payload, 'payload'))) {
    throw new ConfigurationError(
      'Expected `payoutFailure(notification.payload)`, of a `payout` notification.',
    );
  }
  if (payload.success !== false) return undefined;
  const { error_code, message } = payload;
  const [, documented, text = ''] = /^\s*(PE\d{4})\b(.*)/s.exec(error_code ?? '') ?? [];
  const code = documented ?? (error_code || undefined);
  const meaning = code !== undefined && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  const fromMessage = WITH_REASON.includes(code) ? afterDash(message ?? '') : '';
  const reason = text.replace(/^[\s:;,.–—-]+/, '').trim() || fromMessage.trim();
  return { code, meaning, ...(reason !== '' && reason !== meaning && { reason }) };
}

function afterDash(message: string): string {
  const dash = message.indexOf(' - ');
  return dash === -1 ? message : message.slice(dash + 3);
}
