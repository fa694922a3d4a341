import { Buffer } from 'node:buffer';
import type { SandboxNotification } from '../../../sandbox/model/records';
import { mergeDeep } from '../../../shared/objects';
import { type CheckDefinition, expectAccepted, type Findings } from '../check';
import { describeExchange, type Exchange } from '../exchange';
import type { Sale } from '../sales';
import type { Session } from '../session';

const SIZES = [1_000, 10_000, 100_000];

/** In ASCII, some of their bytes become quotation marks and control characters, which break the JSON. */
const LETTERS = { shopper: { firstName: 'João', lastName: 'Conceição da Câmara' } };

const LIMIT =
  'Accept bodies of 100 KB at least: the document shows no limit (section 8). Read the whole body, to the end of the ' +
  'request, before you parse it.';
const UTF8 =
  'Read the body as UTF-8, and take `content-length` for bytes, not letters: names, reasons and reference codes have ' +
  'letters such as ã and ç.';
const PIECES =
  'Read the whole body before you decode it: a letter such as ã may come in two pieces. Use `Buffer.concat`, ' +
  "`request.setEncoding('utf8')` or a body parser; `body += chunk` breaks the letter.";

/** Section 8 shows no limit. Only the whole body, as UTF-8, is what the service sent. */
export const bodies: CheckDefinition = {
  id: 'bodies',
  title: 'Reads long bodies, and every letter',
  asks:
    'Payments of 1, 10 and 100 KB, one for João, and one that comes in two pieces, cut within a letter. With `--sandbox` ' +
    'also with such letters in the reference code.',
  why: 'A listener that misreads the body refuses the payment in all six deliveries, or books it for another order.',
  fix: `${UTF8} ${LIMIT}`,
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('no payment was accepted');
    await session.settle();
    const unit = session.actionsPer('payment');
    const all: (readonly [fix: string, ...Lettered])[] = [];
    for (const bytes of SIZES) {
      const { payment } = await session.sale();
      all.push([LIMIT, `a payment of ${bytes} bytes`, payment, { bytes }]);
    }
    for (const [how, isSplit, fix] of ways) {
      all.push([fix, ...withLetters(`a payment for João, ${how}`, await session.sale(), isSplit)]);
    }
    const { result, actions } = await session.watch(unit * all.length, () =>
      session.sendAll(all.map(([, ...one]) => one)),
    );
    const answered = result.map((exchange, index) => expectAnswered(findings, exchange, all[index]?.[0]));
    const accepted = answered.filter(Boolean).length;
    const missing = unit * accepted - (actions?.total ?? unit * accepted);
    if (missing > 0) findings.fail(`${missing} of these payments were accepted and not acted on`);
    if (findings.problems.length === 0) await compareReferences(findings, session);
  },
};

const ways: readonly [how: string, isSplit: boolean, fix: string][] = [
  ['in one piece', false, UTF8],
  ['in two pieces', true, PIECES],
];

/** A body that is waited for in vain is no late answer. */
function expectAnswered(findings: Findings, exchange: Exchange, fix?: string): boolean {
  if (exchange.reception === 'silent') findings.fail(describeExchange(exchange), fix);
  return exchange.reception !== 'silent' && expectAccepted(findings, exchange, fix);
}

type Lettered = [
  what: string,
  notification: SandboxNotification,
  { bytes?: number; splitAt?: number | undefined },
];

function withLetters(what: string, { payment }: Sale, isSplit: boolean): Lettered {
  const payload = Object(mergeDeep(payment.payload, LETTERS));
  const firstOfLetter = Buffer.from(JSON.stringify(payload)).indexOf(0xc3);
  return [what, { ...payment, payload }, { splitAt: isSplit ? firstOfLetter + 1 : undefined }];
}

/** A listener that confirms a payment compares its reference code, and so finds each letter that it has read wrong. */
async function compareReferences(findings: Findings, session: Session): Promise<void> {
  const { sandbox, shop } = session.options;
  if (sandbox === undefined || shop !== undefined) return;
  for (const [how, isSplit, fix] of ways) {
    const what = `a payment with letters such as ã in its reference code, ${how}`;
    const sale = await session.sale('-João');
    const unit = session.actionsPer('payment');
    const { result, actions } = await session.watch(unit, () =>
      session.send(...withLetters(what, sale, isSplit)),
    );
    const isRight = result.reception === 'accepted' && (actions?.total ?? unit) >= unit;
    // One call made it. Without another, the listener has reasons of its own, such as the form of its references.
    const hasAsked = (await sandbox.callsAbout(String(Object(sale.payment.payload).saleToken))) > 1;
    if (!isRight && hasAsked) {
      return findings.fail(`${describeExchange(result)}, although the service confirms it`, fix);
    }
  }
}
