import { parseNotification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { documentedKinds } from '../../src/service/notifications';
import { isDocumentedState } from '../../src/service/states';
import {
  failedPayoutPayload,
  payoutPayload,
  refundPayload,
  reversalPayload,
  salePayload,
} from '../webhooks/payloads';

/** The statuses that the document shows for each kind (sections 4.1, 6.1 and 6.5). */
const documented: readonly (readonly [
  kind: string,
  payload: (status: string) => object,
  statuses: string,
])[] = [
  ['payment', (newStatus) => ({ ...salePayload(), newStatus }), 'PAID'],
  ['saleStatus', (newStatus) => ({ ...salePayload(), newStatus }), 'REVERSAL'],
  ['reversal', (status) => ({ ...reversalPayload(), status }), 'PENDING PAID CANCELLED'],
  ['refund', (status) => ({ ...refundPayload(), status }), 'PAID'],
  ['payout', (status) => ({ ...payoutPayload(), status }), 'PAID FAILED'],
  ['payout', (status) => ({ ...failedPayoutPayload(), status }), 'PENDING FAILED'],
];

/** The state of a notification, as the store is given it. */
function stateOf(body: object): { readonly kind: string; readonly state: string } {
  const { kind, key } = parseNotification({ body: JSON.stringify(body) });
  return { kind, state: key.split(':').slice(2).join(':') };
}

describe('isDocumentedState', () => {
  it.each(documented)('knows the states of a %s', (kind, payload, statuses) => {
    for (const status of statuses.split(' ')) {
      const { state, ...read } = stateOf(payload(status));
      expect(read).toEqual({ kind });
      expect([state, isDocumentedState(state)]).toEqual([state, true]);
      for (const other of [`${status}2`, `x${status}`, status.toLowerCase(), `${status} `, `${status}\n`]) {
        const made = stateOf(payload(other)).state;
        expect([made, isDocumentedState(made)]).toEqual([made, false]);
      }
    }
  });

  it('is asked about every documented kind', () => {
    // Events are of the service's public pages: the document names none of their states.
    expect(new Set([...documented.map(([kind]) => kind), 'recurrence'])).toEqual(
      new Set(documentedKinds.map(({ kind }) => kind)),
    );
  });

  it.each(['', 'true', 'true:', ':PAID', 'maybe:PAID', 'true:true:PAID', 'PAID:true', 'PAID\n'])(
    'takes %j for no documented one',
    (state) => expect(isDocumentedState(state)).toBe(false),
  );
});
