import { isGiven } from '../../shared/objects';
import { type Schema, type Validation, validate } from '../schema';
import type { DocumentedKind } from './notification';
import { CHARGE_PAID, isEvent, recurrence, recurrencePayloadSchema } from './recurrence';
import { type PaymentNotification, payment, type SalePayload } from './sale';

const schema: Schema<unknown, SalePayload> = {
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

/**
 * A charge that is paid is a payment of its own sale: the same money that also comes as an ordinary notification is acted on
 * once.
 */
export const chargePaid: DocumentedKind<PaymentNotification> = {
  ...payment,
  label: recurrence.label,
  match: (body) => isEvent(body) && body['eventType'] === CHARGE_PAID,
  schema,
};
