import { addMonths, readDay, writeDay } from '../../pix/pix-calendar';
import type { RecurringCheckoutRequest } from '../../service/operations/create-recurring-checkout';
import { addJourney } from './create-checkout';
import { SandboxError } from './sandbox-error';
import { dateTime, type ServiceState } from './state';

/** What may be chosen of a test journey. */
export interface TestJourneyOptions {
  /** Default: `test-` and a number. */
  referenceCode?: string | undefined;
  /** In the currency's main unit, BRL. Default: 59.70. */
  amount?: number | undefined;
  /** Without an immediate payment. Default: with one. */
  authorizeOnly?: boolean | undefined;
}

/** Creates a journey as a client would: monthly, 29.90 each time, from a month after today. @returns its UUID */
export function createTestJourney(state: ServiceState, options: TestJourneyOptions): string {
  const { amount = 59.7, authorizeOnly = false } = options;
  const referenceCode = options.referenceCode || `test-${state.transactions.size + 1}`;
  const today = readDay(dateTime(state, state.now()).slice(0, 10)) ?? 0;
  const recurrence = {
    amount: { recurrenceAmount: 29.9 },
    calendar: { initialDate: writeDay(addMonths(today, 1)), periodicity: 'MONTHLY' },
  };
  const order: RecurringCheckoutRequest = {
    currency: 'BRL',
    referenceCode,
    shopper: { id: 'shopper-7', name: 'Ana de Souza', email: 'ana@example.com' },
    ...(authorizeOnly
      ? { recurrence: { ...recurrence, immediatePayment: false } }
      : { amount, recurrence: { ...recurrence, immediatePayment: true } }),
  };
  if (state.inventions.repeatedReferenceCode !== 'accepted' && state.referenceCodes.has(referenceCode)) {
    throw new SandboxError(
      'not-allowed',
      'A journey has this order identifier already.',
      'Uma jornada já tem este identificador de pedido.',
    );
  }
  if (!(amount > 0)) {
    throw new SandboxError('invalid', 'Expected `amount` above 0.', 'É preciso um valor acima de 0.');
  }
  return addJourney(state, order).uuid;
}
