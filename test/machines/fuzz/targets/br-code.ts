import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BrCodeError, readBrCode } from 'pix-automatic-sdk/pix';
import { brCodeOf, dividedCrc, field, samples } from '../../../pix/samples';
import { flipped } from '../mutations';
import { assertNothingPolluted } from '../oracles';
import { Tally, type Target } from '../target';

const gui = field('00', 'br.gov.bcb.pix');
const whole = [
  ...Object.values(samples),
  brCodeOf(field('26', gui + field('01', 'key')), field('54', '59.70'), field('80', 'none')),
  brCodeOf(field('59', 'Ünïcode'), field('85', field('01', field('02', 'x')))),
];

/** The ways to change a text at a place. `text` is inserted or appended. */
const changes: ReadonlyArray<(code: string, at: number, text: string) => string> = [
  (code, at) => code.slice(0, at),
  (code, at) => code.slice(0, at) + code.slice(at + 1),
  (code, at, text) => code.slice(0, at) + text + code.slice(at),
  (code, at, text) => code.slice(0, at) + text + code.slice(at + text.length),
  flipped,
  (code, at) => code.slice(0, at) + (code[at + 1] ?? '') + (code[at] ?? '') + code.slice(at + 2),
  (code, _, text) => code + text,
  (code, _, text) => code + field('64', text),
  (code, _, text) => text + code,
  (code, at) => code.slice(0, at) + code[at]?.toUpperCase() + code.slice(at + 1),
  (code, at) => code.slice(0, -4) + (at % 2 === 0 ? code.slice(-4).toLowerCase() : code.slice(at, at + 4)),
  // With a right checksum, the reader also checks the rest.
  (code) => code.slice(0, -4) + dividedCrc(code.slice(0, -4)),
  (code) => code.slice(0, -4) + dividedCrc(code.slice(0, -4)),
  (code, _, text) =>
    `${code.slice(0, -8)}${field('61', text)}6304`.replace(/.*/s, (body) => body + dividedCrc(body)),
];
const texts = [
  ...['', '0', '9', '00', '6304', '26', '80', 'é', '\ud800', '\u0000', ' ', '\n'],
  ...['/rec/', gui, '__proto__'],
];
const mutated = fc
  .tuple(
    fc.constantFrom(...whole),
    fc.array(fc.tuple(fc.constantFrom(...changes), fc.nat(300), fc.constantFrom(...texts)), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([code, steps]) =>
    steps.reduce(
      (text, [change, at, other]) => change(text, text === '' ? 0 : at % text.length, other),
      code,
    ),
  );

const tally = new Tally();

export const brCodeTarget: Target = {
  name: 'readBrCode',
  share: 0.2,
  summary: () => String(tally),
  property: fc.property(mutated, (text) => {
    const expected = isBrCode(text);
    try {
      const { fields, journey, recurrenceUrl } = readBrCode(text);
      assert.ok(expected, 'read what is no BR Code');
      assert.equal(fields.map(({ tag, value }) => field(tag, value)).join(''), text);
      if (journey !== undefined)
        assert.ok(recurrenceUrl?.toLowerCase().includes('/rec/') && text.includes(recurrenceUrl));
      tally.count(whole.includes(text) ? 'unchanged' : 'changed and right');
    } catch (error) {
      if (!(error instanceof BrCodeError)) throw error;
      assert.ok(!expected, `refused a BR Code: ${error.message}`);
      assert.ok(error.offset >= 0 && error.offset <= text.length);
      tally.count(error.code);
    }
    assertNothingPolluted();
  }),
};

/** Whether a text is a BR Code, decided without the library: by a pattern per field, and a division of polynomials. */
function isBrCode(text: string): boolean {
  const fields = fieldsOf(text);
  const [first] = fields ?? [];
  const last = fields?.at(-1);
  if (first?.join() !== '00,01' || last?.[0] !== '63') return false;
  const isWhole = (fields ?? []).every(
    ([tag, value]) =>
      !mayHoldPix(tag) || !/^0014br\.gov\.bcb\.pix/i.test(value) || fieldsOf(value) !== undefined,
  );
  return isWhole && last[1] === dividedCrc(text.slice(0, -4));
}

function mayHoldPix(tag: string): boolean {
  return (tag >= '26' && tag <= '51') || tag === '62' || tag >= '80';
}

function fieldsOf(text: string): [tag: string, value: string][] | undefined {
  const fields = new Map<string, string>();
  let rest = text;
  while (rest !== '') {
    const [, tag = '', length] = /^([0-9]{2})([0-9]{2})/.exec(rest) ?? [];
    const end = 4 + Number(length);
    if (length === undefined || fields.has(tag) || rest.length < end) return undefined;
    fields.set(tag, rest.slice(4, end));
    rest = rest.slice(end);
  }
  return [...fields];
}
