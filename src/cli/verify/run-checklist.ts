import { CliFailure } from '../failure';
import type { SandboxClient } from '../sandbox-client';
import type { TextKey } from '../texts';
import { type CheckDefinition, type CheckResult, Findings } from './check';
import { acts } from './checks/acts';
import { amounts } from './checks/amounts';
import { bodies } from './checks/bodies';
import { burst } from './checks/burst';
import { confirms } from './checks/confirms';
import { credentials } from './checks/credentials';
import { duplicates } from './checks/duplicates';
import { kinds } from './checks/kinds';
import { missingFields } from './checks/missing-fields';
import { oneSale } from './checks/one-sale';
import { order } from './checks/order';
import { reachable } from './checks/reachable';
import { noSecrets, prompt, status200 } from './checks/responses';
import { retry } from './checks/retry';
import { rightKind } from './checks/right-kind';
import { unknownFields, unknownKinds } from './checks/unknown';
import { workFirst } from './checks/work-first';
import { describeExchange, Session, type SessionOptions } from './session';

/**
 * The order matters: without `reachable` no check can say anything; `acts` measures what later checks compare with;
 * `duplicates` sends what came long before; `unknownKinds` may crash the listener; after the wrong pairs of `credentials` it may lock us out; the last three look
 * at all earlier responses.
 */
export const checklist: readonly CheckDefinition[] = [
  reachable,
  kinds,
  acts,
  rightKind,
  unknownFields,
  missingFields,
  bodies,
  amounts,
  burst,
  oneSale,
  order,
  workFirst,
  duplicates,
  unknownKinds,
  retry,
  confirms,
  credentials,
  noSecrets,
  status200,
  prompt,
];

/** These have a result even if the first notification was not accepted. */
const always: readonly CheckDefinition[] = [reachable, noSecrets, prompt];

/** The default of `--limit`: how long a response may take, in milliseconds. Our choice: the service documents no limit. */
export const DEFAULT_LIMIT_MS = 5_000;

/** The check that is under way, and what is left. */
export interface UnderWay {
  readonly title: TextKey;
  readonly number: number;
  /** How long the rest of the run takes, by the responses so far, in milliseconds. */
  readonly leftMs: number;
}

/** Gets to know how a run goes on. */
export interface Progress {
  /** Called before each check, and again after each request. */
  under?(way: UnderWay): void;
  /** Called once, early, for a listener that takes long to answer. */
  estimated?(responseMs: number, runMs: number): void;
  ended?(result: CheckResult): void;
}

/** About as many responses are waited for, one after the other, and this long for late actions. */
const RESPONSES = 230;
const WAITS_MS = 20_000;
/** A listener that answers in less is done so soon that nobody asks. */
const LONG_MS = 100;

/** Runs every check. */
export async function runChecklist(options: SessionOptions, progress: Progress = {}): Promise<CheckResult[]> {
  const session = new Session({ ...options, onSent: () => tell() });
  let current = 0;
  const tell = () => {
    const { id } = checklist[current] ?? reachable;
    const responses = Math.max(0, RESPONSES - session.sent) * session.meanMs;
    const waits = (WAITS_MS * (checklist.length - current)) / checklist.length;
    progress.under?.({ title: `${id}.title`, number: current + 1, leftMs: responses + waits });
  };
  const results: CheckResult[] = [];
  let isPointless = false;
  for (const [index, check] of checklist.entries()) {
    const findings = new Findings(check);
    current = index;
    tell();
    session.startCheck();
    if (isPointless && !always.includes(check)) findings.leaveOpen('run.firstNotAccepted');
    else if (check.needsEffects && !session.countsEffects) findings.leaveOpen('run.withoutEffects');
    else await run(check, findings, session);
    const result = findings.result();
    results.push(result);
    progress.ended?.(result);
    if (check !== reachable) continue;
    isPointless = result.verdict !== 'passed';
    const { quickestMs } = session;
    if (quickestMs > LONG_MS && Number.isFinite(quickestMs))
      progress.estimated?.(quickestMs, quickestMs * RESPONSES + WAITS_MS);
  }
  return results;
}

/** Leaves a check open if it cannot reach `--effects`, the sandbox or the shop: it may have crashed meanwhile. */
async function run(check: CheckDefinition, findings: Findings, session: Session): Promise<void> {
  const sentBefore = session.exchanges.length;
  try {
    await check.run(findings, session);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    // A listener that ends its process often takes --effects with it.
    const broken = session.exchanges.slice(sentBefore).find(({ reception }) => reception === 'broken');
    if (broken !== undefined) findings.fail('run.thenGone', { sent: describeExchange(broken) });
    findings.open.push(error.message);
  }
}

/**
 * Sets the sandbox's armed faults aside while `work` runs, and arms them again afterwards: they would meet the calls that
 * create the sales, or those of a listener that confirms.
 *
 * @param work - gets how many there are
 */
export async function withoutFaults<Result>(
  sandbox: SandboxClient | undefined,
  work: (setAside: number) => Promise<Result>,
): Promise<Result> {
  if (sandbox === undefined) return work(0);
  const faults = await sandbox.faults();
  if (faults.length > 0) await sandbox.call('DELETE', '/sandbox/faults');
  const restore = async () => {
    for (const { operation, fault, left } of faults) {
      const times = left ?? EVERY_CALL;
      await sandbox.call('POST', '/sandbox/faults', { operation, fault: { ...fault, times } });
    }
  };
  // Ctrl+C must not leave the sandbox without its faults. A second Ctrl+C ends at once.
  const interrupted = () => void restore().finally(() => process.exit(130));
  process.once('SIGINT', interrupted);
  try {
    return await work(faults.length);
  } finally {
    process.off('SIGINT', interrupted);
    await restore();
  }
}

/** In place of `Infinity`, which JSON does not have. */
const EVERY_CALL = 1_000_000_000;
