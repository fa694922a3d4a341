import { isObject } from '../../../shared/objects';
import { type CheckDefinition, expectAccepted } from '../check';
import { everyKind } from '../documented-kinds';

/** Runs late, because a listener that crashes here cannot answer later checks. */
export const unknownKinds: CheckDefinition = {
  id: 'unknown-kinds',
  title: 'Accepts kinds that it does not know',
  asks: 'JSON objects of no kind that the document shows, and then a payment.',
  why: 'The service has notifications of the recurring journey that its document does not show. If you refuse them, they are lost.',
  fix:
    'Answer 200 to a JSON object of no known kind, keep it, and look at it: the service has notifications for the ' +
    'recurring journey that its document does not show (document section 6.1). Describe it with `defineNotification`.',
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
      findings.fail('nothing listens any more: an unknown body ended the process');
  },
};

export const unknownFields: CheckDefinition = {
  id: 'unknown-fields',
  title: 'Accepts fields that it does not know',
  asks: 'Each kind again, with unknown fields in the payload and in each of its objects.',
  why: 'When the service adds a field, a strict listener refuses every notification.',
  fix:
    'Read the fields that you need, and leave the others alone: the service may add some at any time (its document shows ' +
    'no compatibility policy, section 9). Do not use `strict()` or `additionalProperties: false` for notifications.',
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
    isObject(value) ? withUnknownFields(value) : value,
  ]);
  return {
    ...Object.fromEntries(fields),
    sandboxText: 'new',
    sandboxList: [{ depth: 1 }],
    sandboxNull: null,
  };
}
