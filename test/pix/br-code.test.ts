import fc from 'fast-check';
import { BrCodeError, readBrCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import { changed, flipped, holds, patience } from '../helpers/mutations';
import { seedRandomTests } from '../helpers/random-seed';
import { brCodeOf, dividedCrc, field, samples } from './samples';

seedRandomTests();

const pix = field('00', 'br.gov.bcb.pix');
const at = (url: string, tag = '26') => field(tag, pix + field('25', url));
const recurrence = at('bank.example/rec/1', '80');
const none = { journey: undefined, recurrenceUrl: undefined };

function errorOf(text: string): BrCodeError {
  try {
    readBrCode(text);
  } catch (error) {
    if (error instanceof BrCodeError) return error;
    throw error;
  }
  throw new Error('was read');
}

describe("readBrCode of the Central Bank's samples", () => {
  const qr = 'pix.example.com/qr/v2/';
  const merchant = { merchantName: 'Fulano de Tal', merchantCity: 'BRASILIA', txid: '***' };
  const common = { amount: undefined, currency: 'BRL', ...merchant };

  it.each([
    [2, undefined, `${qr}rec/2353c790eefb11eaadc10242ac120002`],
    [3, `${qr}8b3da2f39a4140d1a91abd93113bd441`, `${qr}rec/94ed2badcbc04c15b0bb7fa353194890`],
    [4, `${qr}cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7`, `${qr}rec/3ffa640fa4f14080adccb949fa2dc0d0`],
  ] as const)('reads journey %i', (journey, chargeUrl, recurrenceUrl) => {
    const { fields, ...read } = readBrCode(samples[journey]);
    expect(read).toEqual({ journey, chargeUrl, recurrenceUrl, ...common });
    expect(fields.map(({ tag, value }) => field(tag, value)).join('')).toBe(samples[journey]);
  });

  it.each([2, 3, 4] as const)('refuses journey %i with any one character changed', (journey) => {
    const text = samples[journey];
    for (let at = 0; at < text.length; at++) {
      for (const other of ['0', '9', 'a', 'A', ' ', 'é', '\ud800']) {
        if (other === text[at]) continue;
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        expect(errorOf(changed).offset).toBeLessThanOrEqual(changed.length);
      }
    }
  });

  it.each([2, 3, 4] as const)(
    'refuses journey %i cut off anywhere, with an offset inside the text',
    (journey) => {
      const text = samples[journey];
      for (let length = 0; length < text.length; length++) {
        const { offset, code } = errorOf(text.slice(0, length));
        expect(['cut_short', 'no_checksum', 'not_a_br_code']).toContain(code);
        expect(offset).toBeLessThanOrEqual(length);
      }
    },
  );
});

describe('readBrCode of other codes', () => {
  it('reads a plain Pix without a journey, and its amount', () => {
    const read = readBrCode(brCodeOf(at('bank.example/1'), field('54', '59.70')));
    expect(read).toMatchObject({ ...none, chargeUrl: 'bank.example/1', amount: 59.7 });
  });

  it.each([
    ['bank.example/cobv/1', 4],
    ['bank.example/cob/1', 3],
    ['bank.example/cobv', 3],
  ])('reads the charge %s with a recurrence as journey %i', (url, journey) => {
    expect(readBrCode(brCodeOf(at(url), recurrence)).journey).toBe(journey);
  });

  it('keeps unknown tags, and reads the fields inside a tag that has some', () => {
    const code = brCodeOf(field('07', 'future'), field('85', field('01', 'x')), field('90', 'no fields'));
    const { fields } = readBrCode(code);
    expect(fields).toEqual([
      { tag: '00', value: '01', offset: 0 },
      { tag: '07', value: 'future', offset: 6 },
      { tag: '85', value: '0101x', offset: 16, fields: [{ tag: '01', value: 'x', offset: 20 }] },
      { tag: '90', value: 'no fields', offset: 25 },
      { tag: '63', value: expect.any(String), offset: 38 },
    ]);
  });

  it('does not read a tag of another arrangement as Pix', () => {
    const other = field('00', 'com.example') + field('25', 'bank.example/rec/1');
    const read = readBrCode(brCodeOf(field('26', other), field('80', other)));
    expect(read).toMatchObject({ ...none, chargeUrl: undefined });
  });

  it('gives no journey for a static key with a recurrence, because the facts list none', () => {
    const key = field('26', pix + field('01', 'key'));
    const read = { journey: undefined, recurrenceUrl: 'bank.example/rec/1' };
    expect(readBrCode(brCodeOf(key, recurrence))).toMatchObject(read);
  });

  it('reads the identifier of Pix in any case, and no recurrence from a URL without /rec/', () => {
    const upper = pix.toUpperCase();
    const code = (url: string) =>
      brCodeOf(field('26', upper), field('80', upper + field('25', `bank.example/${url}`)));
    expect(readBrCode(code('rec/1')).journey).toBe(2);
    expect(readBrCode(code('1'))).toMatchObject(none);
  });

  it.each([
    ['10', 10],
    ['10.', 10],
    ['0.01', 0.01],
    ['9999999999.99', 9_999_999_999.99],
    ['1e3', undefined],
    ['-1', undefined],
    ['', undefined],
    ['1,50', undefined],
  ])('reads the amount %j as %s', (text, amount) => {
    expect(readBrCode(brCodeOf(field('54', text))).amount).toBe(amount);
  });

  it('gives the ISO number of a currency other than the real', () => {
    expect(readBrCode(brCodeOf(field('53', '840'))).currency).toBe('840');
  });
});

describe('readBrCode of a broken code says where and what', () => {
  const whole = brCodeOf(field('59', 'Ana'));
  it.each([
    ['', 'not_a_br_code', 0],
    ['https://bank.example', 'not_a_br_code', 0],
    [` ${whole}`, 'not_a_br_code', 0],
    ['000201', 'no_checksum', 6],
    [`000201${field('59', 'Ana')}`, 'no_checksum', 13],
    ['000201590', 'cut_short', 6],
    ['0002015904Ana', 'cut_short', 6],
    ['000201x903Ana', 'bad_tag', 6],
    ['00020159x3Ana', 'bad_length', 8],
    [brCodeOf(field('59', 'Ana'), field('59', 'Eva')), 'repeated_tag', 13],
    [brCodeOf(field('26', `${pix}25x1a`)), 'bad_length', 30],
    [brCodeOf(field('26', `${pix}2509a`)), 'cut_short', 28],
    [brCodeOf(field('26', `${pix}25x`)), 'cut_short', 28],
    [whole + field('64', 'x'), 'text_after_checksum', 21],
    [`${whole}\n`, 'line_end', 21],
    [`${whole.slice(0, 13)}\r\n${whole.slice(13)}`, 'line_end', 13],
    [`${whole.slice(0, 13)}\r\n${whole.slice(13, -1)}`, 'bad_tag', 13],
    [`${whole.slice(0, -4)}0000`, 'wrong_checksum', 17],
    [whole.replace('Ana', 'Eva'), 'wrong_checksum', 17],
    [whole.slice(0, -4) + whole.slice(-4).toLowerCase(), 'wrong_checksum', 17],
    [`${whole.slice(0, -8)}6302AB`, 'no_checksum', 19],
  ])('for %j: %s at %i', (text, code, offset) => {
    const error = errorOf(text);
    expect([error.code, error.offset]).toEqual([code, offset]);
    expect(error.message).toMatch(new RegExp(`^BR Code, position ${offset}: .+\\.$`));
    expect(error.name).toBe('BrCodeError');
  });

  it.each([
    ['white space before it', ` ${whole}`, 'not_a_br_code', 'without white space before it'],
    ['a checksum in lower case', whole.toLowerCase(), 'wrong_checksum', 'perhaps to lower case'],
  ])('names the likely cause: %s', (_cause, text, code, message) => {
    expect(errorOf(text)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('asks for `qrCode.plain` when it gets the whole QR code', () => {
    const { code, message } = errorOf({ plain: whole, base64: 'QUJD' } as never);
    expect([code, message]).toEqual(['not_a_br_code', expect.stringContaining('pass `qrCode.plain`')]);
  });

  it.each([undefined, null, 1, {}, [], ['000201']])(
    'for %j, which is no string: not_a_br_code at 0',
    (value) => {
      expect(errorOf(value as never)).toMatchObject({ code: 'not_a_br_code', offset: 0 });
    },
  );
});

describe('readBrCode of a whole text, whatever its lengths and its checksum count', () => {
  const name = 'São João 💚';
  const bytes = String(Buffer.byteLength(name)).padStart(2, '0');
  const withLength = (length: string) => `000201${field('53', '986')}59${length}${name}6004Acre6304`;

  it.each([
    ['UTF-16 units', '11'],
    ['code points', '10'],
    ['bytes of UTF-8', bytes],
  ])('reads lengths in %s', (_unit, length) => {
    const text = withChecksum(withLength(length));
    expect(readBrCode(text)).toMatchObject({ merchantName: name, merchantCity: 'Acre', currency: 'BRL' });
  });

  it('reads lengths in bytes inside a field, with offsets into the text', () => {
    const inner = `0014br.gov.bcb.pix2507é.br/1`;
    const text = withChecksum(`00020126${Buffer.byteLength(inner)}${inner}5903Ana6304`);
    const { chargeUrl, fields } = readBrCode(text);
    expect(chargeUrl).toBe('é.br/1');
    expect(fields.map(({ tag, offset }) => text.slice(offset, offset + 2) === tag)).not.toContain(false);
  });

  it('reads a checksum over Latin-1, and none over Latin-1 where a character is not in it', () => {
    const latin1 = `000201${field('59', 'São João')}6304`;
    expect(readBrCode(latin1 + dividedCrc(latin1, 'latin1')).merchantName).toBe('São João');
    const other = `000201${field('59', 'Ā')}6304`;
    expect(errorOf(other + dividedCrc(other, 'latin1')).code).toBe('wrong_checksum');
  });

  it('says how long a field should be, in words that fit 1 as well', () => {
    expect(errorOf('0002015901').message).toContain('tag 59 should be 1 long, and is 0 long');
    expect(errorOf('0002015902A').message).toContain('tag 59 should be 2 long, and is 1 long');
  });

  it('does not send anybody to copy what is whole: a wrong length under a right checksum is its maker’s', () => {
    const text = withChecksum('0002015970Ana6304');
    const error = errorOf(text);
    expect([error.code, error.offset]).toEqual(['cut_short', 6]);
    expect(error.message).toContain('the checksum is right');
    expect(error.message).not.toContain('Copy');
    expect(errorOf(text.slice(0, -1)).message).toContain('Copy all of the text.');
  });
});

describe('the checksum', () => {
  it('of these tests gives the published check value, and is right for the samples', () => {
    expect(dividedCrc('123456789')).toBe('29B1');
    for (const text of Object.values(samples)) expect(dividedCrc(text.slice(0, -4))).toBe(text.slice(-4));
  });

  it('of the library equals a division of polynomials, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 9 }), (text) => {
        fc.pre(text.length < 100);
        expect(readBrCode(brCodeOf(field('59', text))).merchantName).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Ways to change a code at a place in it. With a right checksum, the reader also checks the rest. */
const changes: readonly ((code: string, at: number, other: string) => string)[] = [
  (code, at) => code.slice(0, at),
  (code, at) => code.slice(0, at) + code.slice(at + 1),
  (code, at, other) => code.slice(0, at) + other + code.slice(at),
  (code, at, other) => code.slice(0, at) + other + code.slice(at + other.length),
  flipped,
  (code, at) => code.slice(0, at) + (code[at + 1] ?? '') + (code[at] ?? '') + code.slice(at + 2),
  (code, _, other) => code + other,
  (code, _, other) => code + field('64', other),
  (code, _, other) => other + code,
  (code, at) => code.slice(0, at) + code[at]?.toUpperCase() + code.slice(at + 1),
  (code, at) => code.slice(0, -4) + (at % 2 === 0 ? code.slice(-4).toLowerCase() : code.slice(at, at + 4)),
  (code) => code.slice(0, -4) + dividedCrc(code.slice(0, -4)),
  (code) => code.slice(0, -4) + dividedCrc(code.slice(0, -4)),
  (code, _, other) => withChecksum(`${code.slice(0, -8)}${field('61', other)}6304`),
];
const withChecksum = (text: string) => text + dividedCrc(text);
const others = [
  ...['', '0', '9', '00', '6304', '26', '80', 'é', '\ud800', '\u0000', ' ', '\n', '/rec/', pix],
  '__proto__',
];
const whole = fc.constantFrom(
  ...Object.values(samples),
  brCodeOf(field('26', pix + field('01', 'key')), field('54', '59.70'), field('80', 'none')),
  brCodeOf(field('59', 'Ünïcode'), field('85', field('01', field('02', 'x')))),
);

it('a changed code is read exactly if it is one', { timeout: patience }, async () => {
  await holds(changed(whole, changes, others, { minLength: 1, maxLength: 3 }), (text) => {
    if (!isBrCode(text)) {
      const { offset } = errorOf(text);
      expect(offset >= 0 && offset <= text.length).toBe(true);
      return;
    }
    const { fields, journey, recurrenceUrl } = readBrCode(text);
    const parts = fields.map(({ tag, value, offset }) => tag + text.slice(offset + 2, offset + 4) + value);
    expect(parts.join('')).toBe(text);
    if (journey === undefined) return;
    expect(recurrenceUrl?.toLowerCase()).toContain('/rec/');
    expect(text).toContain(recurrenceUrl);
  });
});

/** Whether a text is a BR Code, decided without the library: by a pattern per field, and a division of polynomials. */
function isBrCode(text: string): boolean {
  const points = Array.from(text, (point) => (point.length === 1 ? point : '~')).join('');
  return [text, points, Buffer.from(text).toString('latin1')].some((each) => isInUnits(each, text));
}

function isInUnits(units: string, text: string): boolean {
  const fields = fieldsOf(units) ?? [];
  const [first] = fields;
  const last = fields.at(-1);
  if (first?.join() !== '00,01' || last?.[0] !== '63') return false;
  const mayHoldPix = (tag: string) => (tag >= '26' && tag <= '51') || tag === '62' || tag >= '80';
  const isWhole = fields.every(
    ([tag, value]) => !mayHoldPix(tag) || !/^0014br\.gov\.bcb\.pix/i.test(value) || fieldsOf(value),
  );
  const sums = [dividedCrc(text.slice(0, -4))];
  if (!/[^\0-\xff]/.test(text)) sums.push(dividedCrc(text.slice(0, -4), 'latin1'));
  return isWhole && sums.includes(last[1] as string);
}

function fieldsOf(text: string): [tag: string, value: string][] | undefined {
  const fields = new Map<string, string>();
  for (let rest = text; rest !== ''; ) {
    const [, tag = '', length] = /^([0-9]{2})([0-9]{2})/.exec(rest) ?? [];
    const end = 4 + Number(length);
    if (length === undefined || fields.has(tag) || rest.length < end) return undefined;
    fields.set(tag, rest.slice(4, end));
    rest = rest.slice(end);
  }
  return [...fields];
}
