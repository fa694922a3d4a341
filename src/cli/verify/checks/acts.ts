import { say } from '../../language';
import type { CheckDefinition } from '../check';
import { counterOf, idleCounters } from '../documented-kinds';
import { counters } from '../effects';

/** Looks at what `kinds` has measured. */
export const acts: CheckDefinition = {
  id: 'acts',
  title: 'Acts on what it accepts',
  asks: 'The count of `--effects` after each of them: the counter of its kind must move by 1.',
  why: 'The service does not resend what was answered with 200. If a payment is accepted but not acted on, its order is never shipped.',
  fix: 'Act before you answer 200, and check how the listener recognizes a payment: the field `newStatus` of a sale is `PAID` when it is paid (document section 6.2). An empty or unparsed body is another common cause. If the listener does act, let --effects count it.',
  needsEffects: true,
  async run(findings, session) {
    if (session.actionsOf.size === 0) findings.leaveOpen('nothing was accepted');
    // If one was accepted only at its retry, and not acted on, `retry` reports it.
    if (session.recoveries.some(({ actions }) => actions === 0)) return;
    if (session.actionsOf.has('payment') && session.actionsPer('payment') === 0) {
      const names = Object.keys(session.actionsOf.get('payment')?.byName ?? {});
      const isMisnamed = names.length > 0 && !names.some((name) => counters.includes(name));
      findings.fail('a payment was accepted, but nothing was counted');
      if (isMisnamed)
        findings.fail('--effects has only other names than {list}', { list: counters.join(', ') });
    }
    for (const [name, acted] of session.actionsOf) {
      const counter = counterOf(name, acted);
      const moved = acted.byName?.[counter] ?? 0;
      const values = { kind: say(name), counter, moved };
      if (moved > 1) findings.fail('one {kind} moved the count of `{counter}` by {moved}', values, ONCE);
    }
    for (const name of idleCounters(session.actionsOf)) {
      // Reported above.
      if (name === 'payment') continue;
      findings.fail('--effects counts `{name}`, but no notification changed that count', { name });
    }
  },
};

const ONCE =
  'Act once for one notification: look for a line that books twice, or a handler that is registered twice. If it acts once, let each notification move its counter of --effects by 1. Only counters of other names may move by more.';
