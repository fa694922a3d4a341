import { fixtures } from 'pix-automatic-sdk/testing';

// The fixtures, with short identifiers, because tests spell out keys such as `payment:s-1:PAID`.

export const salePayload = () => fixtures.payment({ saleToken: 's-1', referenceCode: 'order-1' });

export const reversalPayload = () =>
  fixtures.reversal({ uuid: 'v-1', status: 'PENDING', sale: { uuid: 's-1' } });

/** Its two amounts differ, so that a test can tell them apart. */
export const refundPayload = () =>
  fixtures.refund({ saleToken: 's-1', refund: { uuid: 'r-1' }, amountRefunded: 10.5 });

export const payoutPayload = () => fixtures.payout({ uuid: 'p-1' });

export const failedPayoutPayload = () => fixtures.failedPayout({ uuid: 'p-1' });

/** Of the service's public pages; not in its document. A charge has the sale `c-1`. */
export const recurrencePayload = (overrides: Parameters<typeof fixtures.recurrence>[0] = {}) =>
  fixtures.recurrence({
    idRec: 'RR1',
    externalId: 'order-1',
    ...overrides,
    ...(/CHARGE/.test(overrides.eventType ?? '') && { saleToken: overrides.saleToken ?? 'c-1' }),
  });

/** The query that the service sends with each kind (document sections 6.2 to 6.5). */
export const queries = {
  sale: '',
  reversal: '?reversing=true&type=reversing',
  refund: '?refund=true&type=refund',
  payout: '?payout=true&type=payout',
} as const;
