import type { Findings } from './check';
import { describeExchange, type Exchange } from './exchange';

export const WITHOUT_EFFECTS = 'whether it acts does not show from outside: pass --effects (see --help)';

/** Whether a notification was accepted; if not, says so in the findings. */
export function expectAccepted(findings: Findings, exchange: Exchange, fix?: string): boolean {
  const { reception } = exchange;
  if (reception === 'refused' || reception === 'broken') findings.fail(describeExchange(exchange), fix);
  if (reception === 'silent' || reception === 'gone') findings.leaveOpen(describeExchange(exchange));
  return reception === 'accepted';
}

/** Whether what a check builds on was accepted; when it was not, that is another check's failure. */
export function isGround(findings: Findings, exchanges: readonly Exchange[]): boolean {
  const missing = exchanges.filter(({ reception }) => reception !== 'accepted');
  for (const exchange of missing) {
    findings.leaveOpen(`${describeExchange(exchange)}, so that there was nothing to compare with`);
  }
  return missing.length === 0;
}
