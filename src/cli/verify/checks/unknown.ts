import { type CheckDefinition, expectAccepted } from '../check';
import { everyKind } from '../documented-kinds';

/** Comes after the others: what does not survive it is gone for them. */
export const unknownKinds: CheckDefinition = {
  id: 'unknown-kinds',
  title: 'Accepts kinds that it does not know',
  asks: 'JSON objects of no kind that the document shows, and then a payment.',
  why: 'The service has notifications of the recurring journey that its document does not show. Refused, they are lost.',
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
    const { payment } = await session.sale();
    const next = await session.send('a payment after them', payment);
    const wasThere = unknown.some(({ reception }) => reception !== 'gone');
    if (wasThere && next.reception === 'gone')
      findings.fail('nothing listens any more: it ended the process');
  },
};

export const unknownFields: CheckDefinition = {
  id: 'unknown-fields',
  title: 'Accepts fields that it does not know',
  asks: 'Each kind again, with fields that no document has, in the payload and in each of its objects.',
  why: 'The day the service adds a field, a listener that is strict refuses every notification.',
  fix:
    'Read the fields that you need, and leave the others alone: the service may add some at any time (its document says ' +
    'nothing of compatibility, section 9). No `strict()` or `additionalProperties: false` on what comes in.',
  async run(findings, session) {
    if (session.acceptedKinds.size === 0)
      return findings.leaveOpen('no kind was accepted without unknown fields');
    for (const [name, notification] of await everyKind(session)) {
      if (!session.acceptedKinds.has(name)) continue;
      const extended = { ...notification, payload: withUnknownFields(notification.payload) };
      expectAccepted(findings, await session.send(`${name} with unknown fields`, extended));
    }
  },
};

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
