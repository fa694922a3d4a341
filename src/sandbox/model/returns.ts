import { currencyDecimals } from '../../service/currency';
import type { TransactionRecord } from './records';
import { SandboxError } from './sandbox-error';

/** How much of a transaction goes back, and why. */
export interface ReturnOptions {
  /** In the currency's main unit. Default: all that is left. */
  amount?: number | undefined;
  /** Default: the text of `defaultReasons` in the inventions. */
  reason?: string | undefined;
}

/** What has been refunded of a transaction, and what can still be refunded: nothing while it is unpaid. */
export function refundTotals(transaction: TransactionRecord) {
  const requested = refunded(transaction);
  const available = transaction.situation === 'PAID' ? amountLeft(transaction) : 0;
  return { available, quantity: transaction.refunds.length, requested };
}

/** The amount that no refund or reversal has taken. A pending reversal has taken its amount, a cancelled one none. */
function amountLeft(transaction: TransactionRecord): number {
  const { currency, amount, reversals } = transaction;
  const live = reversals.filter(({ status }) => status !== 'CANCELLED');
  return sum(currency, [amount, -refunded(transaction), ...live.map((reversal) => -reversal.amount)]);
}

function refunded({ currency, refunds }: TransactionRecord): number {
  return sum(
    currency,
    refunds.map((refund) => refund.amount),
  );
}

/** Sums amounts in whole minor units, because `59.7 - 19.9` is 39.800000000000004. */
function sum(currency: string, amounts: readonly number[]): number {
  const factor = 10 ** (currencyDecimals(currency) ?? 2);
  return amounts.reduce((total, amount) => total + Math.round(amount * factor), 0) / factor;
}

/**
 * How much a refund or a reversal returns: the amount asked for, or else all that is left.
 *
 * @param move - for messages: `refunded` or `reversed`
 */
export function amountToReturn(
  transaction: TransactionRecord,
  { amount }: ReturnOptions,
  move: string,
): number {
  const left = amountLeft(transaction);
  if (left <= 0) throw nothingLeft(transaction, move);
  const wanted = amount ?? left;
  if (Number.isFinite(wanted) && wanted > 0 && wanted <= left) return wanted;
  throw new SandboxError(
    'invalid',
    `Expected an amount above 0 and up to ${left}, which is what can be ${move}.`,
    `É preciso um valor acima de 0 e até ${left}, que é o que resta.`,
  );
}

function nothingLeft({ reversals }: TransactionRecord, move: string): SandboxError {
  const pending = reversals
    .filter(({ status }) => status === 'PENDING')
    .map(({ amount, uuid }) => `${amount} (UUID ${uuid})`);
  const why =
    pending.length === 0
      ? 'all of it has gone back already.'
      : `a reversal of ${pending.join(' and ')} is under way. Complete it, or cancel it to free its amount.`;
  const portuguese =
    pending.length === 0
      ? 'Nada resta: tudo já voltou ao pagador.'
      : 'Nada resta: um estorno está em andamento. Conclua-o, ou cancele-o para liberar o valor.';
  return new SandboxError('not-allowed', `Nothing is left to be ${move}: ${why}`, portuguese);
}
