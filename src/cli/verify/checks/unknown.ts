import { isObject } from '../../../shared/objects';
import { type Sentence, say } from '../../language';
import type { CheckDefinition } from '../check';
import { everyKind } from '../documented-kinds';
import type { Named } from '../session';
import { expectOwnCounters } from './right-kind';

/** They have fields of known kinds, as notifications of the recurrence may. */
const UNKNOWN: readonly [what: Sentence, fields: object, query?: string][] = [
  ['a body of no known kind', {}],
  ['a body of no known kind with an unknown flag', {}, 'type=sandbox'],
  [
    'a body of no known kind with a `saleToken`',
    { saleToken: crypto.randomUUID(), referenceCode: 'sandbox', amount: 59.7 },
  ],
  [
    'a body of no known kind with the status PAID',
    { referenceCode: 'sandbox', amount: 59.7, status: 'PAID' },
  ],
];

const NO_KIND =
  'Book nothing for a body that is of none of the kinds in the document: a `saleToken`, a `uuid` or the status PAID alone makes no payment, refund or payout (document sections 6.2 to 6.5). Keep it, and look at it.';

/** Runs late, because a listener that crashes here cannot answer later checks. */
export const unknownKinds: CheckDefinition = {
  id: 'unknown-kinds',
  title: 'Accepts kinds that it does not know, and books nothing for them',
  asks: 'JSON objects of no kind that the document shows, with fields of those that it shows; then a payment.',
  why: 'The service may send notifications of the recurring journey, which its document does not show. If you refuse them, they are lost.',
  fix: 'Answer 200 to a JSON object of no known kind, keep it, and look at it: the service may send notifications of the recurring journey, which its document does not show (document section 6.1). Describe it with `defineNotification`.',
  async run(findings, session) {
    const bodies = UNKNOWN.map(([what, fields, query]): Named => {
      const { payload, ...rest } = session.samples.unrecognized(query);
      return [say(what), { ...rest, payload: { ...payload, ...fields } }];
    });
    await session.settle();
    const { result: unknown, actions } = await session.watchAll(0, bodies);
    const what = say(
      'a body of no known kind (one of them with an unknown flag, a `saleToken` or the status PAID)',
    );
    expectOwnCounters(findings, what, actions, [], NO_KIND);
    for (const exchange of unknown) findings.expectAccepted(exchange);
    const { payment } = await session.sale();
    const next = await session.send(say('a payment after them'), payment);
    const wasThere = unknown.some(({ reception }) => reception !== 'gone');
    if (wasThere && next.reception === 'gone')
      findings.fail('nothing listens any more: a body of no known kind ended the process');
  },
};

export const unknownFields: CheckDefinition = {
  id: 'unknown-fields',
  title: 'Accepts fields that it does not know',
  asks: 'Each kind with unknown fields in the payload and in each of its objects.',
  why: 'When the service adds a field, a strict listener refuses every notification.',
  fix: 'Read the fields that you need, and leave the others alone: the service may add some at any time (its document shows no compatibility policy, section 9). Do not use `strict()` or `additionalProperties: false` for notifications.',
  async run(findings, session) {
    if (session.acceptedKinds.size === 0)
      return findings.leaveOpen('no kind was accepted without unknown fields');
    const accepted = (await everyKind(session)).filter(([name]) => session.acceptedKinds.has(name));
    const extended = accepted.map(([name, notification]): Named => {
      const payload = withUnknownFields(notification.payload);
      return [say('{kind} with unknown fields', { kind: say(name) }), { ...notification, payload }];
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
