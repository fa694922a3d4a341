import { say } from '../../language';
import type { CheckDefinition } from '../check';
import { counterOf, idleCounters } from '../documented-kinds';
import { counters } from '../effects';

/** Looks at what `kinds` has measured. */
export const acts: CheckDefinition = {
  id: 'acts',
  needsEffects: true,
  async run(findings, session) {
    if (session.actionsOf.size === 0) findings.leaveOpen('run.nothingAccepted');
    // If one was accepted only at its retry, and not acted on, `retry` reports it.
    if (session.recoveries.some(({ actions }) => actions === 0)) return;
    if (session.actionsOf.has('payment') && session.actionsPer('payment') === 0) {
      const names = Object.keys(session.actionsOf.get('payment')?.byName ?? {});
      const isMisnamed = names.length > 0 && !names.some((name) => counters.includes(name));
      findings.fail('acts.nothingCounted');
      if (isMisnamed) findings.fail('acts.otherNames', { list: counters.join(', ') });
    }
    for (const [name, acted] of session.actionsOf) {
      const counter = counterOf(name, acted);
      const moved = acted.byName?.[counter] ?? 0;
      const values = { kind: say(name), counter, moved };
      if (moved > 1) findings.fail('acts.twice', values, 'acts.once');
    }
    for (const name of idleCounters(session.actionsOf)) {
      // Reported above.
      if (name === 'payment') continue;
      findings.fail('acts.neverCounted', { name });
    }
  },
};
