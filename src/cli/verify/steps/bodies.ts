import { Buffer } from 'node:buffer';
import { mergeDeep } from '../../../shared/objects';
import { line } from '../../visible';
import type { Sale } from '../sales';
import { books, type Step } from '../step';
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
  const byAnswers = (step: Step): Step => ({ ...step, byAnswers: true });
  const { payment: plain } = await sales.sale();
  yield byAnswers(books('split', { what: 'a payment in two pieces', notification: plain, splitAt: 40 }));
  const { payment: long } = await sales.sale();
  yield byAnswers(books('long', { what: line`a payment of ${LONG} bytes`, notification: long, bytes: LONG }));
  yield byAnswers(books('letters', { what: 'a payment of João', notification: await withLetters() }));
  // A listener that confirms a payment compares its reference code, and so finds each letter that it has read wrong.
  if (sandbox === undefined || shop !== undefined) return;
  yield byAnswers(
    books('reference', {
      what: 'a payment with ã in its reference code',
      notification: await withLetters('-João'),
    }),
  );
  const pieces = await withLetters('-João');
  const splitAt = Buffer.from(JSON.stringify(pieces.payload)).indexOf(0xc3) + 1;
  yield byAnswers(
    books('cutLetter', {
      what: 'a payment with ã in its reference code, cut within that letter',
      notification: pieces,
      splitAt,
    }),
  );
}
