import { isGiven } from '../../shared/objects';
import { type Schema, type Validation, validate } from '../schema';
import type { DocumentedKind } from './notification';
import { CHARGE_PAID, isEvent, notInTheDocument, recurrencePayloadSchema } from './recurrence';
import type { PaymentNotification, SalePayload } from './sale';

/**
 * A charge that is paid is a payment of its own sale, so that the same money that also comes as an ordinary notification
 * is acted on once.
 *
 * @param payment - what both forms have in common
 */
export const chargePaid = (
  payment: DocumentedKind<PaymentNotification>,
): DocumentedKind<PaymentNotification> => ({
  ...payment,
  ...notInTheDocument,
  match: (body) => isEvent(body) && body['eventType'] === CHARGE_PAID,
  schema: chargePaidSchema,
});

const chargePaidSchema: Schema<unknown, SalePayload> = {
  '~standard': {
    version: 1,
    vendor: 'pix-automatic-sdk',
    validate(input): Validation<SalePayload> {
      const read = validate(recurrencePayloadSchema, input);
      if (read.issues !== undefined) return read;
      const { value: event, leftOut } = read;
      const { saleToken, externalId: referenceCode, chargeAmount: amount, eventDate: date } = event;
      if (!isGiven(saleToken)) {
        return { issues: [{ path: ['saleToken'], message: 'required, the uuid of the charge' }] };
      }
      const value = { saleToken, newStatus: 'PAID', referenceCode, amount, date, recurrence: event };
      return { value, leftOut };
    },
  },
};
