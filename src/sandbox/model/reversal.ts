import type { ReversalPayload } from '../../service/notifications/reversal';
import {
  queryFlags,
  type SandboxNotification,
  type SandboxReversal,
  type TransactionRecord,
} from './records';
import { amountToReturn, type ReturnOptions } from './returns';
import { findTransaction, saleNotification } from './sale';
import { SandboxError } from './sandbox-error';
import { dateTime, happened, type ServiceState } from './state';

/** How a reversal starts, and whether it ends at once. */
export interface ReversalOptions extends ReturnOptions {
  /** Ends it at once with `PAID`. */
  complete?: boolean | undefined;
  /** Ends it at once with `CANCELLED`. */
  cancel?: boolean | undefined;
}

/** Starts to return the funds of a sale, paid or not: the service "cannot approve or identify" it (section 3). */
export function reverse(state: ServiceState, uuid: string, options: ReversalOptions = {}): SandboxReversal {
  const { complete = false, cancel = false } = options;
  if (complete && cancel) {
    throw new SandboxError(
      'invalid',
      'Expected `complete` or `cancel`, not both.',
      'Escolha concluir ou cancelar, não os dois.',
    );
  }
  const transaction = findTransaction(state, uuid);
  const amount = amountToReturn(transaction, options, 'reversed');
  const reversal: SandboxReversal = {
    id: state.ids.number(),
    uuid: state.ids.uuid(),
    transactionUUID: uuid,
    amount,
    reason: options.reason ?? state.inventions.defaultReasons.reversal,
    bankDetails: state.inventions.payerAccount,
    creation: dateTime(state, state.now()),
    status: 'PENDING',
    receipt: null,
  };
  transaction.reversals.push(reversal);
  state.reversals.set(reversal.uuid, reversal);
  happened(state, transaction, 'reversal-PENDING', { amount, detail: reversal.reason });
  state.notify(reversalNotification(transaction, reversal));
  if (state.inventions.saleReversalNotification)
    state.notify(saleNotification(state, transaction, 'REVERSAL'));
  if (complete) return endReversal(state, reversal.uuid, 'PAID');
  return cancel ? endReversal(state, reversal.uuid, 'CANCELLED') : reversal;
}

export function endReversal(
  state: ServiceState,
  uuid: string,
  status: 'PAID' | 'CANCELLED',
): SandboxReversal {
  const reversal = state.reversals.get(uuid);
  if (reversal === undefined) {
    throw new SandboxError('unknown', 'No reversal has this UUID.', 'Nenhum estorno tem este UUID.');
  }
  if (reversal.status !== 'PENDING') {
    throw new SandboxError(
      'not-allowed',
      `The reversal has ended already: it is ${reversal.status}.`,
      `O estorno já terminou: está ${reversal.status}.`,
    );
  }
  reversal.status = status;
  if (status === 'PAID') reversal.receipt = state.inventions.receiptPrefix + reversal.id;
  const transaction = findTransaction(state, reversal.transactionUUID);
  happened(state, transaction, `reversal-${status}`, { amount: reversal.amount });
  state.notify(reversalNotification(transaction, reversal));
  return reversal;
}

/** Section 6.3. */
function reversalNotification(
  transaction: TransactionRecord,
  reversal: SandboxReversal,
): SandboxNotification {
  const payload: ReversalPayload = {
    id: reversal.id,
    uuid: reversal.uuid,
    currency: transaction.currency,
    originalAmount: transaction.amount,
    reversedAmount: reversal.amount,
    status: reversal.status,
    bankDetails: reversal.bankDetails,
    sale: { id: transaction.id, uuid: transaction.uuid },
    creation: reversal.creation,
    receipt: reversal.receipt,
    reason: reversal.reason,
  };
  return { kind: 'reversal', query: queryFlags.reversal, payload, transactionUUID: transaction.uuid };
}
