import type { SandboxNotification } from '../../../model/records';
import type { Samples } from '../../samples';
import type { CheckDefinition } from '../check';
import { expectAccepted } from '../expectations';

/** Everything that sections 6.2 to 6.5 show, by a name for the report. */
function everyKind(samples: Samples): Readonly<Record<string, SandboxNotification>> {
  const returned = samples.sale().reversal('PAID');
  const kept = samples.sale().reversal('CANCELLED');
  return {
    payment: samples.sale().payment,
    'sale REVERSAL': returned.sale,
    'reversal PENDING': returned.pending,
    'reversal PAID': returned.ended,
    'reversal CANCELLED': kept.ended,
    refund: samples.sale().refund(10),
    payout: samples.payout(),
    'failed payout': samples.payout('PE0001'),
  };
}

export const kinds: CheckDefinition = {
  id: 'kinds',
  title: 'Accepts every kind of notification',
  fix:
    'Answer 200 to every kind, also to those you do nothing about, and to sales that you do not know: what is ' +
    'refused comes five more times, and is lost (document section 6.1).',
  async run(findings, session) {
    for (const [what, notification] of Object.entries(everyKind(session.samples))) {
      const isAccepted = expectAccepted(findings, await session.send(what, notification));
      if (isAccepted) session.acceptedKinds.add(what);
    }
  },
};

export const unknownFields: CheckDefinition = {
  id: 'unknown-fields',
  title: 'Accepts fields that it does not know',
  fix:
    'Read the fields that you need, and let the others be: the service may add some at any time, and does not say ' +
    'when (document section 9).',
  async run(findings, session) {
    for (const [what, notification] of Object.entries(everyKind(session.samples))) {
      if (!session.acceptedKinds.has(what)) continue;
      const extended = { ...notification, payload: withUnknownFields(notification.payload) };
      expectAccepted(findings, await session.send(`${what} with unknown fields`, extended));
    }
    if (session.acceptedKinds.size === 0) findings.leaveOpen('no kind was accepted without unknown fields');
  },
};

/** Fields that no document has, in the payload and in each of its objects. */
function withUnknownFields(payload: object): object {
  const fields = Object.entries(payload).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'object' && value !== null && !Array.isArray(value) ? withUnknownFields(value) : value,
  ]);
  return {
    ...Object.fromEntries(fields),
    sandboxText: 'new',
    sandboxList: [{ depth: 1 }],
    sandboxNull: null,
  };
}

/** Comes after the others: what does not survive it is gone for them. */
export const unknownKinds: CheckDefinition = {
  id: 'unknown-kinds',
  title: 'Accepts kinds that it does not know',
  fix:
    'Answer 200 to a JSON object of no known kind, keep it, and look at it: the service has notifications for the ' +
    'recurring journey that its document does not show (document section 6.1). `defineNotification` describes yours.',
  async run(findings, session) {
    const { samples } = session;
    const unknown = [
      await session.send('an unknown body without flags', samples.unrecognized()),
      await session.send('an unknown body with an unknown flag', samples.unrecognized('type=sandbox')),
    ];
    for (const exchange of unknown) expectAccepted(findings, exchange);
    const next = await session.send('a payment after them', samples.sale().payment);
    const wasThere = unknown.some(({ reception }) => reception !== 'gone');
    if (wasThere && next.reception === 'gone')
      findings.fail('nothing listens any more: it ended the process');
  },
};
