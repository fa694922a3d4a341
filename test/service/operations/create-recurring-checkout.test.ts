import fc from 'fast-check';
import {
  amountFromMinorUnits,
  recurringCheckoutRequestSchema as requestSchema,
  recurringCheckoutSchema as responseSchema,
} from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/service/schema';
import { checkoutAnswer, checkoutRequest, clientFor, failureOf } from '../../client/support';
import { reply, startHttpServer } from '../../helpers/http-server';
import { seedRandomTests } from '../../helpers/random-seed';
import { changed, testFields } from '../fields';
import { checkoutAnswerFields, checkoutRequestFields, variableAmountFields } from '../tables';

seedRandomTests();

const withAmount = (amount: unknown) => ({ ...checkoutRequest(), amount });
const wholeRequest = () => {
  const request = changed(withAmount(59.7), 'recurrence.amount.valueType', 'VARIABLE');
  return changed(request, 'recurrence.amount.debitorMinimumAmount', 29.9);
};
testFields(requestSchema, wholeRequest, [...checkoutRequestFields, ...variableAmountFields], {
  lenient: false,
});

function issuesOf(value: unknown) {
  const result = requestSchema['~standard'].validate(value);
  if (result instanceof Promise) throw new Error('Expected a synchronous schema');
  return result.issues?.map(({ path = [], message }) => `${path.join('.')}: ${message}`);
}

const issuesWith = (path: string, value: unknown) => issuesOf(changed(checkoutRequest(), path, value));
const immediate = (amount: unknown, currency = 'BRL') => {
  const recurrence = { ...checkoutRequest().recurrence, immediatePayment: true, amount: undefined };
  return { ...checkoutRequest(), amount, currency, recurrence };
};

const urls =
  'x /path merchant.example ftp://a.example javascript:alert(1) //a.example https:// https:a.example';
const dates =
  '0000-01-01 2027-1-31 2027-01-1 2027-02-29 2027-02-30 2027-13-01 2027-00-10 2027-01-00 2027-01-32 31/01/2027 20270131 ' +
  '2027-01-31T00:00:00Z 2100-02-29 +02027-01-01';
const dateRule = [['', '2027-01-31 ', ...dates.split(' ')], 'expected a real date, yyyy-MM-dd'] as const;

const rules: (readonly [path: string, values: readonly unknown[], message: string])[] = [
  ['currency', ['', 'brl', 'BR', 'BRLX', ' BRL', 'BRL\n', 'ВRL'], 'expected an ISO 4217 code such as BRL'],
  ['referenceCode', [''], 'expected a non-empty string'],
  ['amount', [-0.01, -1], 'expected 0 or more'],
  ['maxAge', [0, -1], 'expected more than 0'],
  ['recurrence.amount.recurrenceAmount', [0, -1], 'expected more than 0'],
  ['recurrence.amount.debitorMinimumAmount', [-1, -0.01], 'expected 0 or more'],
  ['callbackURL', ['', ' https://a.b', ...urls.split(' ')], 'expected an absolute http or https URL'],
  ['recurrence.calendar.initialDate', ...dateRule],
  ['recurrence.calendar.finalDate', ...dateRule],
];

describe.each(rules)('%s', (path, values, message) => {
  it.each(values)('%j is refused', (value) => {
    const [first] = issuesWith(path, value) ?? [];
    expect(first).toBe(`${path}: ${message}`);
  });
});

const calendar = (value: object) => changed(checkoutRequest(), 'recurrence.calendar', value);
const notZero = 'amount: expected more than 0, because recurrence.immediatePayment is true';

const missing = 'amount: required when recurrence.immediatePayment is true';
const reversed = 'recurrence.calendar.finalDate: expected a date that is not before initialDate';
const nobody = { email: 'x', document: { type: 'X', number: '1' }, phone: { type: '', number: 'x' } };

it.each<[string, object, string | undefined]>([
  ['an immediate payment without amount', immediate(undefined), missing],
  ['an immediate payment of 0', immediate(0), notZero],
  ['an immediate payment of -0', immediate(-0), notZero],
  ['an immediate payment', immediate(0.01), undefined],
  ['no amount, and no immediate payment', withAmount(undefined), undefined],
  ['an amount of 0 without an immediate payment', withAmount(0), undefined],
  ['an amount without an immediate payment', withAmount(59.7), undefined],
  ['a calendar that goes back', calendar({ initialDate: '2027-01-31', finalDate: '2027-01-30' }), reversed],
  ['a calendar of one day', calendar({ initialDate: '2027-01-31', finalDate: '2027-01-31' }), undefined],
  ['a calendar of old', calendar({ initialDate: '0999-12-31', finalDate: '1000-01-01' }), undefined],
  ['only an initial date', calendar({ initialDate: '2001-01-31' }), undefined],
  ['only a final date', calendar({ finalDate: '2001-01-31' }), undefined],
  // Neither CPF digits, nor e-mail addresses, nor telephone numbers are checked.
  ['any shopper', { ...checkoutRequest(), shopper: nobody }, undefined],
])('a request with %s is accepted, or refused with one issue', (_, request, issue) => {
  expect(issuesOf(request)).toEqual(issue === undefined ? undefined : [issue]);
});

it('the calendar accepts every real date, and no other', () => {
  const upTo = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(upTo(9999), upTo(15), upTo(35), (year, month, day) => {
      const two = (value: number) => String(value).padStart(2, '0');
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
      const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
      const real = year >= 1 && day >= 1 && day <= days;
      expect(issuesOf(calendar({ initialDate: text })) === undefined).toBe(real);
    }),
    { numRuns: 2_000 },
  );
});

describe('decimals', () => {
  const tooMany = 'has more decimals than its currency; round it, or make it with amountFromMinorUnits';

  it('of 3 * 19.9 are refused before they reach a bank', () => {
    expect(issuesOf(immediate(3 * 19.9))).toEqual([`amount: ${tooMany}`]);
    const path = 'recurrence.amount.recurrenceAmount';
    expect(issuesWith('recurrence.amount.debitorMinimumAmount', 3 * 19.9)).toEqual([
      `recurrence.amount.debitorMinimumAmount: ${tooMany}`,
    ]);
    expect(issuesWith(path, 3 * 19.9)).toEqual([`${path}: ${tooMany}`]);
  });

  it.each([
    ['JPY', [1, 100], [0.5, 1.01]],
    ['BRL', [0.01, 59.7, 1], [0.001, 59.705, 1e-7]],
    ['KWD', [0.001, 1.5], [0.0001]],
    // Two decimals by ISO 4217, though Intl says none.
    ['COP', [0.01, 1.99], [0.001]],
    ['HUF', [0.01, 1.99], [0.001]],
    ['CLF', [0.0001], [0.00001]],
    ['CLP', [1], [0.1]],
    ['USD', [1e21, 1.5e16], [1e-7]],
    // Not in ISO 4217’s list of minor units: at most four, because no currency has more. `BLR` is a typo of `BRL`.
    ['XAU', [0.1234], [0.123456789]],
    ['BLR', [59.7, 0.0001], [3 * 19.9, 0.00001]],
  ] as const)('of an amount in %s may be those of %j but not of %j', (currency, right, wrong) => {
    for (const amount of right) expect(issuesOf(immediate(amount, currency))).toBeUndefined();
    for (const amount of wrong) expect(issuesOf(immediate(amount, currency))).toEqual([`amount: ${tooMany}`]);
  });

  it('of every amount from amountFromMinorUnits are accepted', () => {
    const currency = fc.constantFrom('BRL', 'JPY', 'KWD', 'CLF', 'COP');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 }), currency, (minorUnits, code) => {
        expect(issuesOf(immediate(amountFromMinorUnits(minorUnits, code), code))).toBeUndefined();
      }),
    );
  });
});

// `Number('29,90')`, with a Brazilian comma, is NaN, which JSON would send as null.
const comma = Number('29,90');
const lostInJson: [path: string, value: unknown][] = [
  ['recurrence.amount.recurrenceAmount', comma],
  ['amount', Number.POSITIVE_INFINITY],
  ['maxAge', comma],
  ['recurrence.calendar.initialDate', new Date('31/01/2027')],
  ['novel', [comma]],
];

it.each([
  ...rules.map(([path, [value]]) => [path, value, [false]] as const),
  ...lostInJson.map(([path, value]) => [path, value, [false, true]] as const),
])('a request with a wrong %s, %j, is refused before anything is sent', async (path, value, places) => {
  const server = await startHttpServer(reply(200, checkoutAnswer()));
  const wrong = changed(checkoutRequest(), path, value);
  for (const isExtra of places) {
    const [request, options] = isExtra ? [checkoutRequest(), { extraFields: { ...wrong } }] : [wrong, {}];
    const error = await failureOf(clientFor(server).createRecurringCheckout(request as never, options));
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' });
    // A name that the document does not list may be personal data.
    expect(error.message).toContain(path === 'novel' ? '*.0: ' : `${path}: `);
  }
  expect(server.requests).toEqual([]);
});

it('all wrong fields are named in one error', () => {
  const issues = issuesOf({ currency: 7, recurrence: {}, shopper: null });
  const paths = issues?.map((issue) => issue.split(':')[0]);
  expect(paths).toEqual(['currency', 'referenceCode', 'shopper', 'recurrence.immediatePayment']);
});

describe('the response', () => {
  const read = (changes: string, value: unknown) =>
    validate(responseSchema, changed(checkoutAnswer(), changes, value));
  const leftOut = (path: string, type: string) => [
    { path: path.split('.'), message: `expected the documented type, got ${type}` },
  ];
  const qrCode = 'response.instructions.qrCode';
  const steps = 'response.instructions.steps';

  testFields(responseSchema, checkoutAnswer, checkoutAnswerFields, { lenient: true });

  it.each<[string, unknown]>([
    [qrCode, { plain: 'x' }],
    [qrCode, { base64: 'x' }],
    [qrCode, { url: 'x' }],
    // Formats are not checked in a response.
    ['response.shopper.email', 'no address'],
  ])('is accepted with %s as %j', (path, value) => {
    expect(read(path, value)).toEqual({ value: changed(checkoutAnswer(), path, value), leftOut: [] });
  });

  const noForm = 'expected at least one of plain, base64 and url';
  it.each<[string, unknown, string]>([
    [qrCode, {}, noForm],
    [qrCode, { plain: '' }, noForm],
    [qrCode, { plain: null, base64: null, url: null }, noForm],
    [qrCode, { novel: 'x' }, noForm],
    [qrCode, { plain: 7 }, noForm],
    ['response.uuid', '', 'expected a non-empty string'],
  ])('is refused with %s as %j', (path, value, message) => {
    expect(read(path, value)).toEqual({ issues: [{ path: path.split('.'), message }] });
  });

  it('has its steps left out when one of them is not text', () => {
    expect(read(`${steps}.qrCode`, ['a', 7, null])).toEqual({
      value: changed(checkoutAnswer(), steps, {}),
      leftOut: leftOut(`${steps}.qrCode`, 'an array'),
    });
  });

  it('has a form of the QR code that is not text left out when another form is usable', () => {
    expect(read(qrCode, { plain: 7, base64: '', url: 'x' })).toEqual({
      value: changed(checkoutAnswer(), qrCode, { base64: '', url: 'x' }),
      leftOut: leftOut(`${qrCode}.plain`, 'a number'),
    });
  });
});
