import type { Subject, Text } from '../sandbox/controls/control';
import type { SendResult } from '../sandbox/delivery/delivery';
import { type Command, PROGRAM } from './command';
import { CliFailure, didYouMean } from './failure';
import type { Language } from './options';
import { paintAnswer, print, printJson, visible } from './output';
import type { ListedDelivery, ListedTransaction, SandboxClient } from './sandbox-client';

/** The transaction with that uuid or reference code. Without one, the newest transaction in that situation. */
async function chooseTransaction(
  sandbox: SandboxClient,
  named: string | undefined,
  situation: 'PENDING' | 'PAID',
): Promise<ListedTransaction> {
  const transactions = await sandbox.transactions();
  if (named === undefined) {
    const newest = transactions.findLast(
      (transaction) => transaction.situation === situation && !transaction.isAuthorized,
    );
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

/** What a command acts on. */
export interface Chosen {
  /** For the control's path. */
  readonly id: string;
  readonly uuid: string | undefined;
  readonly referenceCode: string | undefined;
  readonly amount: number | undefined;
  /** For `--json`. */
  readonly identity: object;
}

/** Finds what a command acts on: what is named, or else the newest that it can act on. */
export async function choose(
  sandbox: SandboxClient,
  subject: Subject,
  named: string | undefined,
): Promise<Chosen> {
  if (subject === 'scheduled-payment') return chooseScheduled(sandbox, named);
  if (subject === 'reversal') return chooseReversal(sandbox, named);
  const situation = subject === 'journey' ? 'PENDING' : 'PAID';
  const { uuid, referenceCode, amount } = await chooseTransaction(sandbox, named, situation);
  return { id: uuid, uuid, referenceCode, amount, identity: { uuid, referenceCode, amount } };
}

async function chooseScheduled(sandbox: SandboxClient, named: string | undefined): Promise<Chosen> {
  const transactions = await sandbox.transactions();
  const byId = transactions.find(({ scheduledPayments }) =>
    scheduledPayments.some(({ instructionId }) => instructionId === named),
  );
  const isScheduled = ({ status }: { status?: string | undefined }) => status === 'SCHEDULED';
  const journey =
    byId ??
    (named === undefined
      ? transactions.findLast(({ scheduledPayments }) => scheduledPayments.some(isScheduled))
      : await chooseTransaction(sandbox, named, 'PAID'));
  const payment =
    byId === undefined ? journey?.scheduledPayments.find(isScheduled) : { instructionId: named ?? '' };
  if (journey === undefined || payment === undefined) {
    throw new CliFailure(
      1,
      `No payment is scheduled: \`${PROGRAM} pay\` schedules the payments of a journey.`,
    );
  }
  const { uuid, referenceCode } = journey;
  const identity = { uuid, referenceCode };
  return {
    id: payment.instructionId,
    uuid: payment.instructionId,
    referenceCode,
    amount: undefined,
    identity,
  };
}

async function chooseReversal(sandbox: SandboxClient, named: string | undefined): Promise<Chosen> {
  const reversals = (await sandbox.transactions()).flatMap(({ reversals }) => reversals);
  const id = named ?? reversals.findLast(({ status }) => status === 'PENDING')?.uuid;
  if (id !== undefined) return { id, uuid: id, referenceCode: undefined, amount: undefined, identity: {} };
  throw new CliFailure(1, `No reversal is PENDING: \`${PROGRAM} reverse\` starts one.`);
}

/** What a command did, and how the listener answered its notifications. */
interface MoveReport {
  /** One line. */
  readonly summary: string;
  /** Further lines. */
  readonly details?: readonly string[];
  /** What `--json` prints. */
  readonly data: object;
  readonly deliveries: readonly ListedDelivery[];
  readonly language: Language;
  readonly json: boolean;
}

/** Prints what a command did. @returns the exit code: 0 when every notification that was sent was answered 200 */
export function reportMove({ summary, details = [], data, deliveries, language, json }: MoveReport): number {
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
    if (notifications.length === 0) print(`  ${nothingSent[language]}`);
    for (const delivery of deliveries) print(deliveryLine(delivery));
  }
  return notifications.every(({ httpStatus }) => httpStatus === 200) ? 0 : 1;
}

const nothingSent: Text = [
  'No notification was sent. Either this sends none, or the sandbox has no listener: start it with --webhook-url.',
  'Nenhuma notificação foi enviada. Ou esta ação não envia nenhuma, ou o sandbox não tem listener: inicie-o com --webhook-url.',
];

/** One line for a notification, with the response to its last attempt. */
export function deliveryLine({ id, kind, status, attempts }: ListedDelivery): string {
  const attempt = lastAttempt(attempts);
  if (attempt === undefined) return `  → ${visible(`${kind} ${id}`)}  on its way`;
  const answer = paintAnswer(attempt);
  return `  → ${visible(`${kind} ${id}`)}  ${answer}  ${attempt.durationMs} ms  ${status === 'pending' ? 'will be retried' : status}`;
}

/** An amount for people: `R$ 59.70`, in Portuguese `R$ 59,70`. */
export function money(amount: number, language: Language): string {
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `R$ ${amount.toLocaleString(language === 1 ? 'pt-BR' : 'en', decimals)}`;
}

function lastAttempt(attempts: ListedDelivery['attempts']): SendResult | undefined {
  const last = attempts.at(-1);
  return last && { httpStatus: last.httpStatus, error: last.error, durationMs: last.durationMs };
}
