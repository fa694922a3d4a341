import { isObject } from '../../../shared/objects';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import type { CheckDefinition } from '../check';
import { everyKind } from '../documented-kinds';
import type { Named } from '../session';
import { expectOwnCounters } from './right-kind';

/** They have fields of known kinds, as notifications of the recurrence may. */
const UNKNOWN: readonly [what: TextKey, fields: object, query?: string][] = [
  ['unknown-kinds.body', {}],
  ['unknown-kinds.flag', {}, 'type=sandbox'],
  ['unknown-kinds.saleToken', { saleToken: crypto.randomUUID(), referenceCode: 'sandbox', amount: 59.7 }],
  ['unknown-kinds.paid', { referenceCode: 'sandbox', amount: 59.7, status: 'PAID' }],
];

/** Runs late, because a listener that crashes here cannot answer later checks. */
export const unknownKinds: CheckDefinition = {
  id: 'unknown-kinds',
  async run(findings, session) {
    const bodies = UNKNOWN.map(([what, fields, query]): Named => {
      const { payload, ...rest } = session.samples.unrecognized(query);
      return [say(what), { ...rest, payload: { ...payload, ...fields } }];
    });
    await session.settle();
    const { result: unknown, actions } = await session.watchAll(0, bodies);
    const what = say('unknown-kinds.any');
    expectOwnCounters(findings, what, actions, [], 'unknown-kinds.bookNothing');
    for (const exchange of unknown) findings.expectAccepted(exchange);
    const { payment } = await session.sale();
    const next = await session.send(say('unknown-kinds.after'), payment);
    const wasThere = unknown.some(({ reception }) => reception !== 'gone');
    if (wasThere && next.reception === 'gone') findings.fail('unknown-kinds.ended');
  },
};

export const unknownFields: CheckDefinition = {
  id: 'unknown-fields',
  async run(findings, session) {
    if (session.acceptedKinds.size === 0) return findings.leaveOpen('unknown-fields.none');
    const accepted = (await everyKind(session)).filter(([name]) => session.acceptedKinds.has(name));
    const extended = accepted.map(([name, notification]): Named => {
      const payload = withUnknownFields(notification.payload);
      return [say('unknown-fields.sent', { kind: say(name) }), { ...notification, payload }];
    });
    for (const exchange of await session.sendAll(extended)) findings.expectAccepted(exchange);
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
