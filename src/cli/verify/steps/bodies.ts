import { Buffer } from 'node:buffer';
import { mergeDeep } from '../../../shared/objects';
import { say } from '../../language';
import type { Sale } from '../sales';
import { books } from '../step';
import type { Script, World } from '../world';

/** More than 100 KiB, the default limit of some body parsers. */
const LONG = 150_000;

/** In ASCII, some of their bytes become quotation marks and control characters, which break the JSON. */
const LETTERS = { shopper: { firstName: 'João', lastName: 'Conceição da Câmara' } };

/** Section 8 shows no limit. Only the whole body, as UTF-8, is what the service sent. */
export async function* bodies({ sales, sandbox, shop }: World): Script {
  const withLetters = async (end?: string) => {
    const { payment } = await sales.sale(end === undefined ? {} : { end });
    return { ...payment, payload: Object(mergeDeep(payment.payload, LETTERS)) } as Sale['payment'];
  };
  const cut = (payment: Sale['payment']) => Buffer.from(JSON.stringify(payment.payload)).indexOf(0xc3) + 1;

  const plain = await sales.sale();
  const split = yield {
    ...books('split', { what: say('sent.split'), notification: plain.payment, splitAt: 40 }),
    byAnswers: true,
  };
  const isWhole = split.types.length === 0;
  if (!isWhole) split.blame('pieces');
  const long = yield {
    ...books('long', {
      what: say('sent.long', { bytes: LONG }),
      notification: (await sales.sale()).payment,
      bytes: LONG,
    }),
    byAnswers: true,
  };
  if (isWhole && long.only('refused', 'broken', 'missing')) long.blame('limit');

  const joao = await withLetters();
  const letters = yield {
    ...books('letters', { what: say('sent.letters'), notification: joao }),
    byAnswers: true,
  };
  if (letters.only('refused', 'silent', 'broken', 'missing')) letters.blame('encoding');

  // A listener that confirms a payment compares its reference code, and so finds each letter that it has read wrong.
  if (sandbox === undefined || shop !== undefined) return;
  const whole = await withLetters('-João');
  const reference = yield {
    ...books('reference', { what: say('sent.reference'), notification: whole }),
    byAnswers: true,
  };
  const isPlain = letters.types.length === 0;
  if (isPlain && reference.only('refused', 'missing')) {
    const asked = await sandbox.callsAbout(String(Object(whole.payload).saleToken));
    // One call made it. Without another, the listener has reasons of its own, such as the form of its references.
    if (asked > 1) reference.blame('encoding');
  }
  const pieces = await withLetters('-João');
  const cutLetter = yield {
    ...books('cutLetter', { what: say('sent.cutLetter'), notification: pieces, splitAt: cut(pieces) }),
    byAnswers: true,
  };
  if (isWhole && reference.types.length === 0 && cutLetter.only('refused', 'missing'))
    cutLetter.blame('decodesPieces');
}
