import type { CheckDefinition } from '../check';
import { everyKind } from '../every-kind';
import { expectAccepted } from '../expectations';

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
