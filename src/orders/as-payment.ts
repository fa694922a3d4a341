import { isIdentity, MAX_IDENTITY_LENGTH } from '../service/checks';
import type { SalePayload } from '../service/notifications/sale';
import { isObject, isText } from '../shared/objects';
import { identify } from '../webhooks/key';
import type { MeantPayment, OrderLink } from '../webhooks/order-link';

/** The merchant's function that reads the payment in a body of no known kind. */
export type AsPayment = (body: Readonly<Record<string, unknown>>) => MeantPayment | undefined;

/** Makes a payment of a body of no known kind, where `asPayment` says that it means one. */
export function paymentMeantBy(asPayment: AsPayment | undefined): OrderLink['meant'] {
  return (recognized) => {
    const { notification, issues } = recognized;
    if (asPayment === undefined || notification.kind !== 'unrecognized' || issues !== undefined)
      return recognized;
    const { raw } = notification;
    try {
      const meant = asPayment(raw);
      if (meant === undefined || meant === null) return recognized;
      const payload = saleOf(meant);
      if (!isIdentity(payload.saleToken)) return { ...recognized, issues: NO_IDENTITY };
      const identity = identify('payment', payload.saleToken, [payload.newStatus]);
      return {
        identity,
        notification: { kind: 'payment', payload, raw, key: identity.key },
        isMeant: true,
      };
    } catch (error) {
      return { ...recognized, failure: { code: 'callback_failed', status: 500, error } };
    }
  };
}

const NO_IDENTITY = [
  {
    path: ['saleToken'],
    message:
      `expected what \`asPayment\` gives to have at most ${MAX_IDENTITY_LENGTH} characters, without U+FFFD, which stands for ` +
      'bytes that are no UTF-8',
  },
];

/** @throws `TypeError` for what is no payment */
function saleOf(meant: MeantPayment): SalePayload {
  const { saleToken, referenceCode, amount, currency, date } = meant;
  if (!isObject(meant) || !isText(saleToken)) {
    throw new TypeError(
      '`asPayment` gave something without a `saleToken`. Give `undefined` for what is no payment.',
    );
  }
  return { saleToken, newStatus: 'PAID', referenceCode, amount, currency, date };
}
