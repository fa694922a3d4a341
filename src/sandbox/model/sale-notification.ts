import type { SalePayload } from '../../service/notifications/sale';
import {
  dateTime,
  queryFlags,
  type SandboxNotification,
  type ServiceState,
  type TransactionRecord,
} from './records';

/** Section 6.2. @param transactionUUID - the journey that the sale belongs to */
export function saleNotification(
  state: ServiceState,
  {
    uuid,
    referenceCode,
    currency,
    amount,
    shopper,
  }: Pick<TransactionRecord, 'uuid' | 'referenceCode' | 'currency' | 'amount' | 'shopper'>,
  newStatus: 'PAID' | 'REVERSAL',
  transactionUUID = uuid,
): SandboxNotification {
  const { branch, account } = state.inventions.payerAccount;
  const [firstName, ...otherNames] = (shopper.name ?? '').split(' ').filter((name) => name !== '');
  const lastName = otherNames.join(' ') || undefined;
  const payload: SalePayload = {
    saleToken: uuid,
    referenceCode,
    currency,
    amount,
    shopper: { id: shopper.id, firstName, lastName, email: shopper.email, agency: branch, account },
    date: dateTime(state, state.now()),
    newStatus,
  };
  const kind = newStatus === 'PAID' ? 'payment' : 'saleStatus';
  return { kind, query: queryFlags[kind], payload, transactionUUID };
}
