import { ConfigurationError } from '../errors';
import { type PixPeriodicity, pixCalendar } from '../pix/pix-calendar';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import type { Overrides } from './fixtures/make-fixture';
import { notificationFixtures, type PaymentPayload } from './fixtures/notifications';

/** Which payments of a recurrence to make. */
export interface RecurrencePaymentsOptions {
  /** How many, the first one included. Default: 12. */
  times?: number | undefined;
  /** The day of the first one, `yyyy-MM-dd`. Default: `2027-01-15`. */
  initialDate?: string | undefined;
  /** How often. Default: `MONTHLY`. */
  periodicity?: PixPeriodicity | undefined;
  /**
   * Whether each payment has a `saleToken` of its own, or all have the first one's. The document does not show which:
   * test both. With the same one, all but the first are `unexpected_repeat`. Default: `own`.
   */
  saleTokens?: 'own' | 'same' | undefined;
}

const NAMES: OptionNames<RecurrencePaymentsOptions> = {
  times: true,
  initialDate: true,
  periodicity: true,
  saleTokens: true,
};

/**
 * The payloads of a recurrence's `payment` notifications, one a period: the fixture `payment` with your overrides, the
 * same `referenceCode`, and the day of each period as its `date`. That a later charge comes as a `payment` is made up:
 * the document does not show the notifications of a recurrence.
 *
 * For `createWebhookHandler` without `confirm`, and for your own functions: no service knows these sales. Orders, which ask
 * about each payment, are charged by `charge` of `testOrders`.
 *
 * @example
 * for (const payment of recurrencePayments({ times: 3 }, { amount: 29.9 })) {
 *   await handler(notificationRequest('payment', payment, credentials));
 * }
 *
 * @throws `InvalidRequestError` when the overridden fixture does not fit the library's schema
 * @throws `ConfigurationError` for `times` that is not a whole number from 1
 * @throws `RangeError` for a date that is not real, or a periodicity that Pix does not have
 */
export function recurrencePayments(
  options: RecurrencePaymentsOptions = {},
  overrides?: Overrides<PaymentPayload>,
): PaymentPayload[] {
  const own = readNamedOptions('recurrencePayments', options, NAMES);
  const { times = 12, initialDate = '2027-01-15', periodicity = 'MONTHLY', saleTokens = 'own' } = own;
  if (!Number.isInteger(times) || times < 1) {
    throw new ConfigurationError('Expected `times` to be a whole number from 1.');
  }
  const payments: PaymentPayload[] = [];
  for (const { dueDate } of pixCalendar({ initialDate, periodicity })) {
    const payment = notificationFixtures.payment(overrides);
    const { saleToken } = payment;
    const number = payments.length + 1;
    // The form of a uuid stays, for a column of that type.
    const ownToken = `${saleToken.slice(0, -12)}${String(number).padStart(12, '0')}`;
    const isFirst = number === 1 || saleTokens === 'same';
    payments.push({ ...payment, saleToken: isFirst ? saleToken : ownToken, date: `${dueDate} 08:00:00` });
    if (number === times) break;
  }
  return payments;
}
