import {
  decodeQrCode,
  InvalidRequestError,
  type PaymentsClient,
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
  type Schema,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
  transactionSchema,
} from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import {
  parseNotification,
  payoutPayloadSchema,
  refundPayloadSchema,
  reversalPayloadSchema,
  salePayloadSchema,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../src/errors';
import { crc16 } from '../../src/pix/br-code';
import { type Field, pathsOf } from '../service/fields';
import {
  cancellationAnswerFields,
  cancellationRequestFields,
  checkoutAnswerFields,
  checkoutRequestFields,
  failedPayoutFields,
  payoutFields,
  refundFields,
  reversalFields,
  saleFields,
  transactionFields,
} from '../service/tables';

interface Documented {
  readonly schema: Schema<unknown>;
  /** The table of the document. */
  readonly fields: readonly Field[];
  /** Fields that this fixture must have with this value, by path. */
  readonly values?: Readonly<Record<string, unknown>>;
}

const dateTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const date = /^\d{4}-\d\d-\d\d$/;

/** The form of a text, for every path that ends so. E-mail addresses have the domain that is reserved for examples. */
const forms: Readonly<Record<string, RegExp>> = {
  currency: /^[A-Z]{3}$/,
  email: /^[^@]+@example\.com$/,
  'document.type': /^CPF$/,
  'document.number': /^\d{11}$/,
  'phone.type': /^MOBILE$/,
  callbackURL: /^https:\/\//,
  initialDate: date,
  finalDate: date,
  periodicity: /^MONTHLY$/,
  chosen: /^PIX_RECURRENCE$/,
  'qrCode.url': /^https:\/\//,
  'qrCode.plain': /^000201/,
  creation: dateTime,
  creditDate: dateTime,
  date: dateTime,
  error_code: /^PE000[1-4]$/,
};

/** Each operation has a method of the client, and a fixture of what that method returns. */
const answers: { readonly [Name in OperationName]: () => Awaited<ReturnType<PaymentsClient[Name]>> } = {
  createRecurringCheckout: fixtures.recurringCheckout,
  getTransaction: fixtures.transaction,
  cancelScheduledPayment: fixtures.scheduledPaymentCancellation,
};

it.each(Object.entries(answers))('the fixture of %s is an answer of success', (_operation, answer) => {
  expect(answer()).toMatchObject({ status: 0 });
});

const documented: Readonly<Record<keyof typeof fixtures, Documented>> = {
  recurringCheckoutRequest: { schema: recurringCheckoutRequestSchema, fields: checkoutRequestFields },
  recurringCheckout: {
    schema: recurringCheckoutSchema,
    fields: checkoutAnswerFields,
    values: {
      message: 'success',
      'response.instructions.steps.qrCode': [expect.any(String), expect.any(String), expect.any(String)],
    },
  },
  transaction: {
    schema: transactionSchema,
    fields: transactionFields,
    values: {
      message: 'success',
      type: 'SALE',
      situation: 'PAID',
      maxAge: expect.stringMatching(dateTime),
      'refunds.transactions': [expect.any(Object)],
      'refunds.transactions.0.status': 'PAID',
    },
  },
  scheduledPaymentCancellationRequest: {
    schema: scheduledPaymentCancellationRequestSchema,
    fields: cancellationRequestFields,
  },
  scheduledPaymentCancellation: {
    schema: scheduledPaymentCancellationSchema,
    fields: cancellationAnswerFields,
    values: { message: 'success' },
  },
  payment: { schema: salePayloadSchema, fields: saleFields, values: { newStatus: 'PAID' } },
  saleStatus: { schema: salePayloadSchema, fields: saleFields, values: { newStatus: 'REVERSAL' } },
  reversal: { schema: reversalPayloadSchema, fields: reversalFields, values: { status: 'PAID' } },
  refund: {
    schema: refundPayloadSchema,
    fields: refundFields,
    values: { status: 'PAID', 'refund.status': 'PAID' },
  },
  payout: { schema: payoutPayloadSchema, fields: payoutFields, values: { status: 'PAID' } },
  failedPayout: {
    schema: payoutPayloadSchema,
    fields: failedPayoutFields,
    // The document says "if generated": a payout that failed has no receipt.
    values: { status: 'PENDING', receipt: null },
  },
};

const names = Object.keys(documented) as (keyof typeof fixtures)[];

describe.each(names)('fixtures.%s', (name) => {
  const { schema, fields, values = {} } = documented[name];
  const fixture: () => object = fixtures[name];

  it('has exactly the fields of the document, each of its type and form', () => {
    const whole = fixture();
    expect(pathsOf(whole).sort()).toEqual(fields.map(({ path }) => path).sort());
    for (const { path, type } of fields) {
      const value = valueAt(whole, path);
      if (path in values) expect(value, path).toEqual(values[path]);
      else expect(Array.isArray(value) ? 'array' : typeof value, path).toBe(type);
      const form = Object.keys(forms).find((name) => `.${path}`.endsWith(`.${name}`));
      if (form !== undefined) expect(value, path).toMatch(forms[form] as RegExp);
    }
    expect(JSON.stringify(whole)).not.toContain('""');
  });

  it('is accepted unchanged by its schema', async () => {
    expect(await schema['~standard'].validate(fixture())).toEqual({ value: fixture(), leftOut: [] });
  });

  it('is a new object each time, at every depth', () => {
    const [first, second] = [objectsOf(fixture()), objectsOf(fixture())];
    expect(first.filter((object) => second.includes(object))).toEqual([]);
  });

  it('is the same after a round trip through JSON', () => {
    expect(JSON.parse(JSON.stringify(fixture()))).toEqual(fixture());
  });
});

describe('overrides', () => {
  it('are merged in, to any depth, and change no other field', () => {
    const usual = fixtures.transaction();
    expect(fixtures.transaction({ refunds: { available: 0 }, shopper: { phone: { number: '1' } } })).toEqual({
      ...usual,
      refunds: { ...usual.refunds, available: 0 },
      shopper: { ...usual.shopper, phone: { ...usual.shopper?.phone, number: '1' } },
    });
    expect(fixtures.transaction()).toEqual(usual);
  });

  it('replace arrays as a whole', () => {
    expect(fixtures.transaction({ refunds: { transactions: [] } }).refunds?.transactions).toEqual([]);
  });

  it('may be null where the service may send null, and undefined to leave a field out', () => {
    const transaction = fixtures.transaction({ shopper: null, refunds: undefined });
    expect(transaction.shopper).toBeNull();
    expect(Object.hasOwn(transaction, 'refunds')).toBe(false);
  });

  it('are copied, so that a later change to them changes no fixture', () => {
    const steps = ['one'];
    const { response } = fixtures.recurringCheckout({
      response: { instructions: { steps: { qrCode: steps } } },
    });
    steps.push('two');
    expect(response.instructions.steps?.qrCode).toEqual(['one']);
  });

  it('that the schema refuses throw an error with the field and without the value', () => {
    const refused: [() => unknown, PropertyKey[]][] = [
      [() => fixtures.reversal({ sale: { id: Number.NaN } }), ['sale', 'id']],
      [() => fixtures.reversal({ uuid: '' }), ['uuid']],
      [() => fixtures.recurringCheckoutRequest({ amount: undefined }), ['amount']],
      [() => fixtures.recurringCheckoutRequest({ currency: 'reais' }), ['currency']],
      [
        () =>
          fixtures.recurringCheckout({
            response: { instructions: { qrCode: { url: '', base64: '', plain: '' } } },
          }),
        ['response', 'instructions', 'qrCode'],
      ],
      // @ts-expect-error: of the wrong type
      [() => fixtures.payout({ success: 'yes' }), ['success']],
    ];
    for (const [make, path] of refused) {
      const error = thrownBy(make);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ issues: [{ path }] });
      expect(String(error)).toMatch(/^InvalidRequestError: The fixture `\w+` is not valid\./);
      expect(String(error)).not.toContain('reais');
    }
  });

  it('are kept as given: a receipt of the text null stays a text', () => {
    expect(fixtures.refund({ receipt: 'null' }).receipt).toBe('null');
  });

  it('named __proto__ pollute nothing', () => {
    const { status } = fixtures.transaction(JSON.parse('{"__proto__": {"polluted": true}, "status": 0}'));
    expect(status).toBe(0);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('the fixtures together', () => {
  it('tell one story: ids, references and amounts fit each other', () => {
    const { response } = fixtures.recurringCheckout();
    const transaction = fixtures.transaction();
    const [refunded] = transaction.refunds?.transactions ?? [];
    const { refund, saleToken, originalAmount } = fixtures.refund();
    const uuids = [transaction.uuid, fixtures.payment().saleToken, saleToken, fixtures.reversal().sale?.uuid];
    expect(new Set(uuids)).toEqual(new Set([response.uuid]));
    expect([refund.uuid, refund.amount]).toEqual([refunded?.uuid, refunded?.total]);
    expect([originalAmount, response.amount]).toEqual([transaction.amount, transaction.amount]);
    const { amount, shipping, discounts, total, refunds } = transaction;
    expect(cents(amount) + cents(shipping) - cents(discounts)).toBe(cents(total));
    expect(cents(refunds?.available) + cents(refunds?.requested)).toBe(cents(amount));
  });

  it('adjust related fields when an amount or a code is overridden', () => {
    const refund = fixtures.refund({ refund: { amount: 5 } });
    expect([refund.refund.amount, refund.reversedAmount, refund.amountRefunded]).toEqual([5, 5, 5]);
    expect(fixtures.refund({ refund: { amount: 5 }, reversedAmount: null })).toMatchObject({
      reversedAmount: null,
    });
    expect(fixtures.failedPayout({ error_code: 'PE0002' }).message).toMatch(/identification document/);
  });

  it('have a QR code that can be decoded and scanned', () => {
    const { qrCode } = fixtures.recurringCheckout().response.instructions;
    expect(decodeQrCode(qrCode.base64 ?? '')?.mediaType).toBe('image/png');
    const plain = qrCode.plain ?? '';
    expect(plain.slice(-4)).toBe(crc16(plain.slice(0, -4)));
    expect(plain).toContain('.invalid/');
  });

  it('have notifications whose kind is recognized even without a query', () => {
    for (const kind of ['payment', 'saleStatus', 'reversal', 'refund', 'payout'] as const) {
      expect(parseNotification({ body: fixtures[kind]() }).kind).toBe(kind);
    }
    expect(parseNotification({ body: fixtures.failedPayout() })).toMatchObject({
      kind: 'payout',
      payload: { success: false },
    });
  });
});

function cents(amount: number | null | undefined): number {
  return Math.round((amount ?? Number.NaN) * 100);
}

function valueAt(whole: object, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => Reflect.get(at as object, name), whole);
}

function objectsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsOf)];
}

function thrownBy(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}
