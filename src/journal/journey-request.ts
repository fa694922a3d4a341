import type { RecurringCheckoutRequest } from '../service/operations/create-recurring-checkout';

/** A request whose `referenceCode` the journal makes from the order's key. */
export type JourneyRequest = WithoutReference<RecurringCheckoutRequest>;

type WithoutReference<Request> = Request extends unknown ? Omit<Request, 'referenceCode'> : never;

/**
 * The hash of each field that is about money, by its path. With the order's key in it, because the same amount of two
 * orders should not look alike.
 */
export async function hashesOfMoney(
  orderKey: string,
  request: JourneyRequest,
): Promise<Record<string, string>> {
  const { currency, amount, recurrence } = request;
  const fields = {
    currency,
    amount,
    'recurrence.amount.recurrenceAmount': recurrence?.amount?.recurrenceAmount,
    'recurrence.calendar.periodicity': recurrence?.calendar?.periodicity,
  };
  const hashes = Object.entries(fields).map(async ([path, value]): Promise<[string, string]> => {
    const text = JSON.stringify([orderKey, path, value ?? null]);
    const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return [
      path,
      [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    ];
  });
  return Object.fromEntries(await Promise.all(hashes));
}
