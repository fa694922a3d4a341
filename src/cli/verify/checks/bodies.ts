import { Buffer } from 'node:buffer';
import { mergeDeep } from '../../../shared/objects';
import { type Sentence, say } from '../../language';
import type { Sale } from '../../samples';
import type { CheckDefinition, Findings } from '../check';
import { type Delivery, describeExchange, type Session } from '../session';

/** The last one is more than 100 KiB, the default limit of some body parsers. */
const SIZES = [1_000, 10_000, 150_000];

/** In ASCII, some of their bytes become quotation marks and control characters, which break the JSON. */
const LETTERS = { shopper: { firstName: 'João', lastName: 'Conceição da Câmara' } };

const LIMIT =
  'Accept bodies of 1 MB: the document shows no limit (section 8). Some body parsers take 100 KiB by default (Express: `express.json({ limit: "1mb" })`). Read the whole body, to the end of the request, before you parse it.';
const UTF8 =
  'Read the body as UTF-8, and take `content-length` for bytes, not letters: names, reasons and reference codes have letters such as ã and ç.';
const PIECES =
  "Read the whole body before you decode it: a letter such as ã may come in two pieces. Use `Buffer.concat`, `request.setEncoding('utf8')` or a body parser; `body += chunk` breaks the letter.";

/** Section 8 shows no limit. Only the whole body, as UTF-8, is what the service sent. */
export const bodies: CheckDefinition = {
  id: 'bodies',
  title: 'Reads long bodies, and every letter',
  asks: 'Payments of 1, 10 and 150 KB, one for João, and one that comes in two pieces, cut within a letter. With `--sandbox` also with such letters in the reference code.',
  why: 'A listener that misreads the body refuses the payment in all six deliveries, or books it for another order.',
  fix: UTF8,
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('no payment was accepted');
    await session.settle();
    const unit = session.actionsPer('payment');
    const all: { fix: Sentence; sent: Delivery }[] = [];
    for (const bytes of SIZES) {
      const { payment } = await session.sale();
      all.push({ fix: LIMIT, sent: [say('a payment of {bytes} bytes', { bytes }), payment, { bytes }] });
    }
    for (const { title, isSplit, fix } of ways)
      all.push({ fix, sent: withLetters(say(title), await session.sale(), isSplit) });
    const deliveries = all.map(({ sent }) => sent);
    const { result, actions } = await session.watchAll(unit * all.length, deliveries);
    const answered = result.filter((exchange, index) => {
      const { fix = UTF8 } = all[index] ?? {};
      // A body that is waited for in vain is no late answer.
      if (exchange.reception === 'silent') findings.fail(exchange, {}, fix);
      return exchange.reception !== 'silent' && findings.expectAccepted(exchange, fix);
    });
    const missing = unit * answered.length - (actions?.total ?? unit * answered.length);
    if (missing > 0)
      findings.fail('{missing} of these payments were accepted and not acted on', { missing }, UTF8, LIMIT);
    if (findings.problems.length === 0) await compareReferences(findings, session);
  },
};

const ways: readonly { title: Sentence; inReference: Sentence; isSplit: boolean; fix: Sentence }[] = [
  {
    title: 'a payment for João',
    inReference: 'a payment with letters such as ã in its reference code',
    isSplit: false,
    fix: UTF8,
  },
  {
    title: 'a payment for João, in two pieces',
    inReference: 'a payment with letters such as ã in its reference code, in two pieces',
    isSplit: true,
    fix: PIECES,
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
      const { fix = UTF8 } = ways[index] ?? {};
      return findings.fail('{sent}, although the service confirms it', { sent: described }, fix);
    }
  }
}
