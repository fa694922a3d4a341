import fc from 'fast-check';
import { defineNotification } from 'pix-automatic-sdk/webhooks';
import * as z from 'zod/mini';
import { trickyText } from '../helpers/mutations';
import { failedPayoutPayload, payoutPayload, refundPayload, reversalPayload, salePayload } from './payloads';

/** A merchant's own kind. */
export const charge = defineNotification({
  kind: 'charge',
  match: (body) => Object.hasOwn(body, 'instructionId'),
  schema: z.looseObject({ instructionId: z.string(), status: z.string() }),
  subject: ({ instructionId }) => instructionId,
  state: ({ status }) => status,
});

/** The documented notifications (document sections 6.2 to 6.5), one of the merchant's own kind, and one of no kind. */
export const notifications = [
  salePayload(),
  { ...salePayload(), newStatus: 'REVERSAL' },
  reversalPayload(),
  refundPayload(),
  payoutPayload(),
  failedPayoutPayload(),
  { instructionId: 'i-1', status: 'CHARGED' },
  { recurrenceId: 'c-1', nested: { list: [1, { two: null }] } },
];

const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('reversing', 'refund', 'payout', 'type', 'Type', '__proto__', ''), trickyText),
  fc.oneof(fc.constantFrom('true', 'TRUE', '1', 'reversing', 'refund', 'payout', 'sale', ''), trickyText),
);

const encode = (text: string) => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));

/** The service's queries, or arbitrary ones. */
export const queryText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['', '', '', 'reversing=true&type=reversing', 'refund=true&type=refund'],
      ...['payout=true', 'payout=true&type=payout', 'type=%72efund', 'ref=1'],
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(parameter, { maxLength: 3 })
      .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')),
  },
  { weight: 1, arbitrary: trickyText },
);
