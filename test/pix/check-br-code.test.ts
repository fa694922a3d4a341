import { checkBrCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import { brCodeOf, field, samples } from './samples';

const request = (immediatePayment: boolean, amount?: number) => ({
  currency: 'BRL',
  amount,
  recurrence: { immediatePayment },
});
const pix = field('00', 'br.gov.bcb.pix');
const journey3 = (...fields: string[]) =>
  brCodeOf(
    field('26', pix + field('25', 'bank.example/1')),
    ...fields,
    field('80', pix + field('25', 'bank.example/rec/1')),
  );
const found = (...args: Parameters<typeof checkBrCode>) =>
  checkBrCode(...args).map(({ code, path }) => [code, path.join('.')]);

describe('checkBrCode', () => {
  it('finds nothing when the code fits the request', () => {
    expect(checkBrCode(samples[2], request(false))).toEqual([]);
    expect(checkBrCode(samples[3], request(true, 59.7))).toEqual([]);
    expect(checkBrCode(journey3(field('53', '986'), field('54', '59.70')), request(true, 59.7))).toEqual([]);
    expect(checkBrCode(samples[2], {})).toEqual([]);
  });

  const plain = brCodeOf(field('26', pix + field('25', 'bank.example/1')));
  const charging = journey3(field('54', '59.70'));
  const unreadable = ['59,70', 'R$59.70', '1e2', '-1', '', ' 59.70', 'NaN'].map((text) =>
    journey3(field('54', text)),
  );

  it.each([
    ['a code without a recurrence', plain, request(true, 1), 'no_recurrence recurrence'],
    ['another journey', samples[2], request(true, 1), 'other_journey recurrence.immediatePayment'],
    ['another journey', samples[3], request(false), 'other_journey recurrence.immediatePayment'],
    ['another journey', samples[4], request(true, 1), 'other_journey recurrence.immediatePayment'],
    ['another amount', charging, request(true, 59.71), 'other_amount amount'],
    ...unreadable.map(
      (code) => ['an unreadable amount', code, request(true, 59.7), 'other_amount amount'] as const,
    ),
    ['another currency', journey3(field('53', '840')), request(true, 1), 'other_currency currency'],
  ] as Array<[string, string, object, string]>)('finds %s (row %$)', (_, code, wanted, advice) => {
    expect(found(code, wanted).map((one) => one.join(' '))).toEqual([advice]);
  });

  it('does not compare an amount that the request lacks', () => {
    for (const code of [charging, ...unreadable]) expect(found(code, request(true))).toEqual([]);
  });

  it.each(['59.70', '59,70', Number.NaN, 59n, true, {}])(
    'finds an amount that cannot be read in the request: %s',
    (amount) => {
      expect(found(charging, request(true, amount as number))).toEqual([['other_amount', 'amount']]);
      expect(found(samples[3], request(true, amount as number))).toEqual([]);
    },
  );

  it('finds a code that is too long to be copied and pasted', () => {
    const long = ['02', '03', '04', '05', '06'].map((tag) => field(tag, 'x'.repeat(99)));
    expect(found(journey3(...long), request(true, 1))).toEqual([['too_long', '']]);
  });

  it('finds a broken code, and says where it breaks', () => {
    const [advice, ...others] = checkBrCode(`${samples[2]}x`, request(false), { locale: 'en' });
    expect(others).toEqual([]);
    expect(advice).toMatchObject({ code: 'broken_code', path: [] });
    expect(advice?.message).toContain(`cut_short, ${samples[2].length}`);
  });

  it('gives its advice in Portuguese, or in English', () => {
    const message = (locale?: 'pt-BR' | 'en') =>
      checkBrCode(samples[3], request(false), { locale })[0]?.message;
    expect(message()).toBe('O QR code corresponde à jornada 3; o pedido, à jornada 2.');
    expect(message('pt-BR')).toBe(message());
    expect(message('en')).toBe('The QR code corresponds to journey 3, the request to journey 2.');
  });

  it('gives no advice when a getter of the request throws', () => {
    const request = {
      get currency(): string {
        throw new Error('getter');
      },
    };
    expect(checkBrCode(samples[3], request)).toEqual([]);
  });

  it.each([
    undefined,
    null,
    0,
    'text',
    [],
    { recurrence: null },
    { recurrence: { immediatePayment: 'yes' } },
  ])('gives no advice for a request of %j', (value) => {
    expect(checkBrCode(samples[3], value as object)).toEqual([]);
  });
});
