import { CliFailure } from './failure';
import { PROGRAM } from './help';
import type { ListedTransaction, SandboxClient } from './sandbox-client';
import { didYouMean } from './suggest';

/** The transaction that was named by its uuid or reference code; else the newest one in that situation. */
export async function chooseTransaction(
  sandbox: SandboxClient,
  named: string | undefined,
  situation: 'PENDING' | 'PAID',
): Promise<ListedTransaction> {
  const transactions = await sandbox.transactions();
  if (named === undefined) {
    const newest = transactions.findLast((transaction) => transaction.situation === situation);
    if (newest !== undefined) return newest;
    throw new CliFailure(1, missing(transactions.length, situation));
  }
  const chosen = transactions.findLast(
    ({ uuid, referenceCode }) => uuid === named || referenceCode === named,
  );
  if (chosen !== undefined) return chosen;
  const names = transactions.flatMap(({ uuid, referenceCode }) => [referenceCode, uuid]);
  throw new CliFailure(
    1,
    `No transaction of the sandbox has that uuid or reference code.${didYouMean(named, names)} ` +
      `\`${PROGRAM} list\` shows them all.`,
  );
}

function missing(count: number, situation: 'PENDING' | 'PAID'): string {
  if (count === 0) {
    return 'The sandbox has no journey yet: create one with `client.createRecurringCheckout`, pointed at the sandbox.';
  }
  return situation === 'PENDING'
    ? 'Every journey of the sandbox is paid or cancelled: create another one first.'
    : `No transaction of the sandbox is paid: pay one with \`${PROGRAM} pay\`.`;
}
