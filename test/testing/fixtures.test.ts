import {
  decodeQrCode,
  InvalidRequestError,
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
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
import { crc16 } from '../../src/pix/br-code-fields';

/** What the document says about a field: its type, or the form of its text. */
type Form = 'string' | 'number' | 'boolean' | 'object' | 'null' | RegExp;

const dateTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const date = /^\d{4}-\d\d-\d\d$/;
const currency = /^[A-Z]{3}$/;

const shopper: Record<string, Form> = {
  id: 'string',
  email: /^[^@]+@example\.com$/,
  name: 'string',
  'document.type': /^CPF$/,
  'document.number': /^\d{11}$/,
  'phone.type': /^MOBILE$/,
  'phone.number': 'string',
};

const bankDetails: Record<string, Form> = { bank: 'string', branch: 'string', account: 'string' };

const sale: Record<string, Form> = {
  saleToken: 'string',
  referenceCode: 'string',
  currency,
  amount: 'number',
  'shopper.id': 'string',
  'shopper.firstName': 'string',
  'shopper.lastName': 'string',
  'shopper.email': /^[^@]+@example\.com$/,
  'shopper.agency': 'string',
  'shopper.account': 'string',
  date: dateTime,
};

const payout: Record<string, Form> = {
  success: 'boolean',
  message: 'string',
  id: 'number',
  uuid: 'string',
  currency,
  amount: 'number',
  referenceCode: 'string',
  ...under('bankDetails', bankDetails),
  creation: dateTime,
};

/** The document's tables, field by field. */
const documented = {
  recurringCheckoutRequest: {
    section: '2.1',
    schema: recurringCheckoutRequestSchema,
    fields: {
      currency,
      referenceCode: 'string',
      amount: 'number',
      maxAge: 'number',
      callbackURL: /^https:\/\//,
      ...under('shopper', shopper),
      'recurrence.planId': 'string',
      'recurrence.immediatePayment': 'boolean',
      'recurrence.amount.recurrenceAmount': 'number',
      'recurrence.calendar.initialDate': date,
      'recurrence.calendar.finalDate': date,
      'recurrence.calendar.periodicity': /^MONTHLY$/,
      'recurrence.retry': 'boolean',
    },
  },
  recurringCheckout: {
    section: '2.2',
    schema: recurringCheckoutSchema,
    fields: {
      status: 'number',
      message: /^success$/,
      'response.id': 'number',
      'response.referenceCode': 'string',
      'response.amount': 'number',
      'response.saleCode': 'string',
      'response.uuid': 'string',
      ...under('response.shopper', shopper),
      'response.instructions.chosen': /^PIX_RECURRENCE$/,
      'response.instructions.name': 'string',
      'response.instructions.label': 'string',
      'response.instructions.qrCode.url': /^https:\/\//,
      'response.instructions.qrCode.base64': 'string',
      'response.instructions.qrCode.plain': /^000201/,
      'response.instructions.steps.qrCode.0': 'string',
      'response.instructions.steps.qrCode.1': 'string',
      'response.instructions.steps.qrCode.2': 'string',
    },
  },
  transaction: {
    section: '2.3',
    schema: transactionSchema,
    fields: {
      status: 'number',
      message: /^success$/,
      id: 'number',
      uuid: 'string',
      type: /^SALE$/,
      situation: /^PAID$/,
      currency,
      amount: 'number',
      shipping: 'number',
      discounts: 'number',
      total: 'number',
      appliedRate: 'number',
      referenceCode: 'string',
      creation: dateTime,
      maxAge: dateTime,
      'shopper.bankDetails.account': 'string',
      'shopper.bankDetails.branch': 'string',
      'shopper.document.number': /^\d{11}$/,
      'shopper.document.type': /^CPF$/,
      'shopper.email': 'string',
      'shopper.phone.number': 'string',
      'shopper.phone.type': /^MOBILE$/,
      beneficiary: 'object',
      'refunds.available': 'number',
      'refunds.quantity': 'number',
      'refunds.requested': 'number',
      ...under('refunds.transactions.0.bankDetails', bankDetails),
      'refunds.transactions.0.creation': dateTime,
      'refunds.transactions.0.creditDate': dateTime,
      'refunds.transactions.0.creditTransferDetails.referenceCode': 'string',
      'refunds.transactions.0.creditTransferDetails.saleUUID': 'string',
      'refunds.transactions.0.creditTransferDetails.total': 'number',
      'refunds.transactions.0.remark': 'string',
      'refunds.transactions.0.status': /^PAID$/,
      'refunds.transactions.0.total': 'number',
      'refunds.transactions.0.uuid': 'string',
      serviceFee: 'number',
      has_return_error: 'boolean',
      return_error: 'object',
      track: 'object',
    },
  },
  scheduledPaymentCancellationRequest: {
    section: '4.3',
    schema: scheduledPaymentCancellationRequestSchema,
    fields: { reason: 'string' },
  },
  scheduledPaymentCancellation: {
    section: '4.3',
    schema: scheduledPaymentCancellationSchema,
    fields: { status: 'number', message: /^success$/ },
  },
  payment: { section: '6.2', schema: salePayloadSchema, fields: { ...sale, newStatus: /^PAID$/ } },
  saleStatus: { section: '6.2', schema: salePayloadSchema, fields: { ...sale, newStatus: /^REVERSAL$/ } },
  reversal: {
    section: '6.3',
    schema: reversalPayloadSchema,
    fields: {
      id: 'number',
      uuid: 'string',
      currency,
      originalAmount: 'number',
      reversedAmount: 'number',
      status: /^(PENDING|PAID|CANCELLED)$/,
      ...under('bankDetails', bankDetails),
      'sale.id': 'number',
      'sale.uuid': 'string',
      creation: dateTime,
      receipt: 'string',
      reason: 'string',
    },
  },
  refund: {
    section: '6.4',
    schema: refundPayloadSchema,
    fields: {
      saleToken: 'string',
      referenceCode: 'string',
      currency,
      originalAmount: 'number',
      reversedAmount: 'number',
      amountRefunded: 'number',
      ...under('bankDetails', bankDetails),
      receipt: 'string',
      status: /^PAID$/,
      'refund.id': 'number',
      'refund.uuid': 'string',
      'refund.status': /^PAID$/,
      'refund.amount': 'number',
      'refund.creation': dateTime,
      'refund.creditDate': dateTime,
      reason: 'string',
      date: dateTime,
    },
  },
  payout: {
    section: '6.5',
    schema: payoutPayloadSchema,
    fields: { ...payout, status: /^PAID$/, receipt: 'string' },
  },
  failedPayout: {
    section: '6.5',
    schema: payoutPayloadSchema,
    // The document says "if generated": a payout that failed has no receipt.
    fields: { ...payout, error_code: /^PE000[1-4]$/, status: /^PENDING$/, receipt: 'null' },
  },
} satisfies Record<keyof typeof fixtures, { section: string; schema: object; fields: Record<string, Form> }>;

const names = Object.keys(documented) as (keyof typeof fixtures)[];

describe.each(names)('fixtures.%s', (name) => {
  const { schema, fields } = documented[name];
  const fixture: () => object = fixtures[name];

  it('has exactly the fields of the document, each of its type and form', () => {
    const leaves = leavesOf(fixture());
    expect([...leaves.keys()].sort()).toEqual(Object.keys(fields).sort());
    for (const [field, form] of Object.entries<Form>(fields)) {
      const value = leaves.get(field);
      if (form instanceof RegExp) expect(value, field).toMatch(form);
      else expect(value === null ? 'null' : typeof value, field).toBe(form);
      expect(value, field).not.toBe('');
    }
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

function under(path: string, fields: Record<string, Form>): Record<string, Form> {
  return Object.fromEntries(Object.entries(fields).map(([field, form]) => [`${path}.${field}`, form]));
}

/** Every leaf by its path. An object without fields counts as a leaf. */
function leavesOf(value: unknown, path = ''): Map<string, unknown> {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (fields.length === 0) return new Map([[path, value]]);
  return new Map(
    fields.flatMap(([name, field]) => [...leavesOf(field, path === '' ? name : `${path}.${name}`)]),
  );
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
