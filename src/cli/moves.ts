import type { SendResult } from '../sandbox/delivery/delivery';
import { type Command, PROGRAM } from './command';
import { CliFailure, didYouMean } from './failure';
import { sandboxOptions } from './options';
import { paintAnswer, print, printJson, visible } from './output';
import type { ListedDelivery, ListedTransaction, SandboxClient } from './sandbox-client';

/** The transaction with that uuid or reference code. Without one, the newest transaction in that situation. */
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

/** The exit codes of commands such as `pay`, which make the sandbox send notifications. */
export function exitCodesOfMove(done: string): Command['exitCodes'] {
  return [
    `${done}, and every notification sent was answered with 200`,
    'refused, or a notification was not answered with 200',
  ];
}

/** The options of `refund` and `reverse`. */
export const refundOptions = {
  amount: { value: 'n', about: 'How much, in the main unit such as 29.90 (default: all that is left)' },
  reason: { value: 'text', about: 'The reason that the notification gives' },
  ...sandboxOptions,
} satisfies Command['options'];

/** What a command did, and how the listener answered its notifications. */
interface MoveReport {
  /** One line. */
  readonly summary: string;
  /** Further lines. */
  readonly details?: readonly string[];
  /** What `--json` prints. */
  readonly data: object;
  readonly deliveries: readonly ListedDelivery[];
  readonly json: boolean;
}

/** Prints what a command did. @returns the exit code: 0 when every notification that was sent was answered 200 */
export function reportMove({ summary, details = [], data, deliveries, json }: MoveReport): number {
  const notifications = deliveries.map(({ id, kind, status, attempts }) => ({
    delivery: id,
    kind,
    status,
    ...lastAttempt(attempts),
  }));
  if (json) printJson({ ...data, notifications }, 2);
  else {
    print(visible(summary));
    for (const line of details) print(`  ${visible(line)}`);
    if (notifications.length === 0) print(NO_LISTENER);
    for (const delivery of deliveries) print(deliveryLine(delivery));
  }
  return notifications.every(({ httpStatus }) => httpStatus === 200) ? 0 : 1;
}

const NO_LISTENER =
  '  No notification was sent: the sandbox has no listener. Start it with --webhook-url, or set one on its page.';

/** One line for a notification, with the response to its last attempt. */
export function deliveryLine({ id, kind, status, attempts }: ListedDelivery): string {
  const attempt = lastAttempt(attempts);
  if (attempt === undefined) return `  → ${visible(`${kind} ${id}`)}  on its way`;
  const answer = paintAnswer(attempt);
  return `  → ${visible(`${kind} ${id}`)}  ${answer}  ${attempt.durationMs} ms  ${status === 'pending' ? 'will be retried' : status}`;
}

/** An amount for people. */
export function money(amount: number): string {
  return `R$ ${amount.toFixed(2)}`;
}

function lastAttempt(attempts: ListedDelivery['attempts']): SendResult | undefined {
  const last = attempts.at(-1);
  return last && { httpStatus: last.httpStatus, error: last.error, durationMs: last.durationMs };
}
