import { CliFailure } from '../failure';
import type { SandboxClient } from '../sandbox-client';
import { type CheckDefinition, type CheckResult, Findings } from './check';
import { acts } from './checks/acts';
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
import { Session, type SessionOptions } from './session';

/**
 * The order matters: without `reachable` no check can say anything; `acts` measures what later checks compare with;
 * `unknownKinds` may crash the listener; after the wrong pairs of `credentials` it may lock us out; the last three look
 * at all earlier responses.
 */
export const checklist: readonly CheckDefinition[] = [
  reachable,
  kinds,
  acts,
  rightKind,
  unknownFields,
  missingFields,
  duplicates,
  burst,
  oneSale,
  order,
  workFirst,
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

/** Runs every check, and passes each result to `onResult` as soon as it is known. */
export async function runChecklist(
  options: SessionOptions,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<CheckResult[]> {
  const session = new Session(options);
  const results: CheckResult[] = [];
  let isPointless = false;
  for (const check of checklist) {
    const findings = new Findings(check.fix);
    if (isPointless && !always.includes(check)) findings.leaveOpen('the first notification was not accepted');
    else await run(check, findings, session);
    const result = findings.result(check);
    results.push(result);
    onResult(result);
    if (check === reachable) isPointless = result.verdict !== 'passed';
  }
  return results;
}

/** Leaves a check open if it cannot reach `--effects`, the sandbox or the shop: it may have crashed meanwhile. */
async function run(check: CheckDefinition, findings: Findings, session: Session): Promise<void> {
  try {
    await check.run(findings, session);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    findings.leaveOpen(error.message);
  }
}

/**
 * Sets the sandbox's armed faults aside while `work` runs, and arms them again afterwards: they would meet the calls that
 * create the sales, or those of a listener that confirms.
 */
export async function withoutFaults<Result>(
  sandbox: SandboxClient | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (sandbox === undefined) return work();
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
    return await work();
  } finally {
    process.off('SIGINT', interrupted);
    await restore();
  }
}

/** In place of `Infinity`, which JSON does not have. */
const EVERY_CALL = 1_000_000_000;
