import { CliFailure } from '../failure';
import { type CheckDefinition, type CheckResult, Findings } from './check';
import { prompt, status200 } from './checks/answers';
import { credentials } from './checks/credentials';
import { duplicates } from './checks/duplicates';
import { kinds, unknownFields, unknownKinds } from './checks/kinds';
import { oneSale } from './checks/one-sale';
import { order } from './checks/order';
import { reachable } from './checks/reachable';
import type { Session } from './session';

/** In an order that matters: see `reachable` and `unknownKinds`. The last two look at what all others have sent. */
const checklist: readonly CheckDefinition[] = [
  reachable,
  credentials,
  kinds,
  unknownFields,
  duplicates,
  oneSale,
  order,
  unknownKinds,
  status200,
  prompt,
];

/** Runs every check, and tells each result as soon as it is there. */
export async function runChecklist(
  session: Session,
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let isPointless = false;
  for (const check of checklist) {
    const findings = new Findings();
    if (isPointless && check !== prompt) findings.leaveOpen('the first notification did not get through');
    else await run(check, findings, session);
    const result = findings.result(check);
    results.push(result);
    onResult(result);
    if (check === reachable) isPointless = result.verdict !== 'passed';
  }
  return results;
}

/** A count that is gone, as with the process that an earlier check has ended, leaves the check open. */
async function run(check: CheckDefinition, findings: Findings, session: Session): Promise<void> {
  try {
    await check.run(findings, session);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    findings.leaveOpen(error.message);
  }
}
