import { type CheckDefinition, WITHOUT_EFFECTS } from '../check';
import { everyKind } from '../documented-kinds';
import type { ActionCount } from '../effects';

/** Measures what the listener does about one notification of each kind; later checks build on it. */
export const acts: CheckDefinition = {
  id: 'acts',
  title: 'Acts on what it accepts',
  asks: 'One notification of each kind, and after each the count of `--effects`: a counter of that name moves by 1.',
  why: 'The service does not send again what was answered with 200: a payment that is accepted and not acted on is an order that is never shipped.',
  fix:
    'Act before you answer 200, and check what the listener takes the notification for: the field `newStatus` of a sale ' +
    'is `PAID` when it is paid (document section 6.2). An empty or unparsed body often ends here, too. If it does act, ' +
    'let --effects count it.',
  async run(findings, session) {
    if (!session.countsEffects) {
      findings.leaveOpen(WITHOUT_EFFECTS);
      return;
    }
    const all = await everyKind(session);
    await session.settle();
    for (const [name, notification] of all) {
      const { result, actions } = await session.watch(1, () => session.send(name, notification));
      if (result.reception !== 'accepted' || actions === undefined) continue;
      session.actionsOf.set(name, actions);
    }
    if (session.actionsOf.size === 0) findings.leaveOpen('nothing was accepted');
    // What was accepted only at the second attempt, and not acted on, is the subject of `retry`.
    if (session.recoveries.some(({ actions }) => actions === 0)) return;
    if (session.actionsOf.has('payment') && session.unit('payment') === 0) {
      findings.fail('a payment was accepted, and nothing was counted');
    }
    for (const [name, { byName = {} }] of session.actionsOf) {
      const counter = counterOf(name, byName);
      const moved = counter === undefined ? 0 : (byName[counter] ?? 0);
      if (moved > 1) findings.fail(`one ${name} moved the count of \`${counter}\` by ${moved}`, ONCE);
    }
    for (const name of idleCounters(session.actionsOf)) {
      findings.fail(`--effects counts \`${name}\`, and no notification changed that count`);
    }
  },
};

/** Which notifications a counter is for. That of payments is the subject above. */
const sources: Readonly<Record<string, readonly string[]>> = {
  saleStatus: ['sale REVERSAL'],
  reversal: ['reversal PENDING', 'reversal PAID', 'reversal CANCELLED'],
  refund: ['refund'],
  payout: ['payout'],
};

const ONCE =
  'Act once for one notification: look for a line that books twice, or a handler that is registered twice. If it acts ' +
  'once, let each notification move its counter of --effects by 1; a counter of another name may move by any number.';

/** The named counter of a kind, if there is one. */
function counterOf(name: string, byName: Readonly<Record<string, number>>): string | undefined {
  if (name === 'payment') return name;
  if (name === 'failed payout' && 'payoutFailed' in byName) return 'payoutFailed';
  if (name === 'failed payout') return 'payout';
  return Object.keys(sources).find((counter) => sources[counter]?.includes(name));
}

/** Counters whose notifications moved nothing. When they moved another counter, that is the subject of `right-kind`. */
function idleCounters(actionsOf: ReadonlyMap<string, ActionCount>): string[] {
  return Object.entries(sources).flatMap(([counter, names]) => {
    const actions = names.flatMap((name) => actionsOf.get(name) ?? []);
    const isIdle =
      actions.some(({ byName = {} }) => counter in byName) && actions.every(({ total }) => total === 0);
    return isIdle ? [counter] : [];
  });
}
