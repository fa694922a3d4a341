import { Buffer } from 'node:buffer';
import { mergeDeep } from '../../../shared/objects';
import { say } from '../../language';
import type { Sale } from '../../samples';
import type { TextKey } from '../../texts';
import type { CheckDefinition, Findings } from '../check';
import { type Delivery, describeExchange, type Session } from '../session';

/** The last one is more than 100 KiB, the default limit of some body parsers. */
const SIZES = [1_000, 10_000, 150_000];

/** In ASCII, some of their bytes become quotation marks and control characters, which break the JSON. */
const LETTERS = { shopper: { firstName: 'João', lastName: 'Conceição da Câmara' } };

/** Section 8 shows no limit. Only the whole body, as UTF-8, is what the service sent. */
export const bodies: CheckDefinition = {
  id: 'bodies',
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('run.noPaymentAccepted');
    await session.settle();
    const unit = session.actionsPer('payment');
    const all: { fix: TextKey; sent: Delivery }[] = [];
    for (const bytes of SIZES) {
      const { payment } = await session.sale();
      all.push({ fix: 'bodies.limit', sent: [say('bodies.long', { bytes }), payment, { bytes }] });
    }
    for (const { title, isSplit, fix } of ways)
      all.push({ fix, sent: withLetters(say(title), await session.sale(), isSplit) });
    const deliveries = all.map(({ sent }) => sent);
    const { result, actions } = await session.watchAll(unit * all.length, deliveries);
    const answered = result.filter((exchange, index) => {
      const { fix = 'bodies.fix' } = all[index] ?? {};
      // A body that is waited for in vain is no late answer.
      if (exchange.reception === 'silent') findings.fail(exchange, {}, fix);
      return exchange.reception !== 'silent' && findings.expectAccepted(exchange, fix);
    });
    const missing = unit * answered.length - (actions?.total ?? unit * answered.length);
    if (missing > 0) findings.fail('run.missing', { missing }, 'bodies.fix', 'bodies.limit');
    if (findings.problems.length === 0) await compareReferences(findings, session);
  },
};

const ways: readonly { title: TextKey; inReference: TextKey; isSplit: boolean; fix: TextKey }[] = [
  {
    title: 'bodies.joao',
    inReference: 'bodies.reference',
    isSplit: false,
    fix: 'bodies.fix',
  },
  {
    title: 'bodies.joaoInPieces',
    inReference: 'bodies.referenceInPieces',
    isSplit: true,
    fix: 'bodies.pieces',
  },
];

function withLetters(what: string, { payment }: Sale, isSplit: boolean): Delivery {
  const payload = Object(mergeDeep(payment.payload, LETTERS));
  const firstOfLetter = Buffer.from(JSON.stringify(payload)).indexOf(0xc3);
  return [what, { ...payment, payload }, { splitAt: isSplit ? firstOfLetter + 1 : undefined }];
}

/** A listener that confirms a payment compares its reference code, and so finds each letter that it has read wrong. */
async function compareReferences(findings: Findings, session: Session): Promise<void> {
  const { sandbox, shop } = session.options;
  if (sandbox === undefined || shop !== undefined) return;
  const unit = session.actionsPer('payment');
  const sent: Delivery[] = [];
  for (const { inReference, isSplit } of ways)
    sent.push(withLetters(say(inReference), await session.sale({ end: '-João' }), isSplit));
  const { result, actions } = await session.watchAll(unit * sent.length, sent);
  const isActedOn = (actions?.total ?? unit * sent.length) >= unit * sent.length;
  if (isActedOn && result.every(({ reception }) => reception === 'accepted')) return;
  for (const [index, exchange] of result.entries()) {
    // One call made it. Without another, the listener has reasons of its own, such as the form of its references.
    const uuid = String(Object(sent[index]?.[1].payload).saleToken);
    const hasAsked = (await sandbox.callsAbout(uuid)) > 1;
    const isSuspect =
      exchange.reception !== 'accepted' || result.every((one) => one.reception === 'accepted');
    if (hasAsked && isSuspect) {
      const described = describeExchange(exchange);
      const { fix = 'bodies.fix' } = ways[index] ?? {};
      return findings.fail('bodies.confirmed', { sent: described }, fix);
    }
  }
}
