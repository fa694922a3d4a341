import { recurringCheckoutSchema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { checkoutAnswer } from '../client/support';
import { changed, table, testFields } from './fields';

// Document section 2.2. `!` marks what the operation is for: the uuid, and a form of the QR code.
const fields = table(
  `
  status                              number
  message                             string
  response                            object!
  response.id                         number
  response.referenceCode              string
  response.amount                     number
  response.saleCode                   string
  response.uuid                       string!
  response.shopper                    object
  response.shopper.id                 string
  response.shopper.name               string
  response.shopper.email              string
  response.shopper.document           object
  response.shopper.document.type      string
  response.shopper.document.number    string
  response.shopper.phone              object
  response.shopper.phone.type         string
  response.shopper.phone.number       string
  response.instructions               object!
  response.instructions.chosen        string
  response.instructions.name          string
  response.instructions.label         string
  response.instructions.qrCode        object!
  response.instructions.qrCode.url    string
  response.instructions.qrCode.base64 string
  response.instructions.qrCode.plain  string
  response.instructions.steps         object
  response.instructions.steps.qrCode  array
  `,
  { 'response.uuid': ['u'], 'response.instructions.qrCode': [{ plain: 'x' }, { url: 'x', novel: 1 }] },
);

testFields(recurringCheckoutSchema, checkoutAnswer, fields, { lenient: true });

const qrCode = 'response.instructions.qrCode';

it.each(['plain', 'base64', 'url'])('a QR code with only %s is accepted', (form) => {
  const answer = changed(checkoutAnswer(), qrCode, { [form]: 'x' });
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});

it.each([{}, { plain: '' }, { plain: null, base64: null, url: null }, { novel: 'x' }, { plain: 7 }])(
  'a QR code with none of its forms is refused: %j',
  (none) => {
    expect(recurringCheckoutSchema['~standard'].validate(changed(checkoutAnswer(), qrCode, none))).toEqual({
      issues: [{ path: qrCode.split('.'), message: 'expected at least one of plain, base64 and url' }],
    });
  },
);

it('an empty uuid is refused', () => {
  const answer = changed(checkoutAnswer(), 'response.uuid', '');
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    issues: [{ path: ['response', 'uuid'], message: 'expected a non-empty string' }],
  });
});

it('steps are left out when one of them is not text', () => {
  const answer = changed(checkoutAnswer(), 'response.instructions.steps.qrCode', ['a', 7, null]);
  const path = ['response', 'instructions', 'steps', 'qrCode', 1];
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    value: changed(checkoutAnswer(), 'response.instructions.steps', {}),
    leftOut: [{ path, message: 'expected a string, got a number' }],
  });
});

it('a form of the QR code that is not text is left out when another form is usable', () => {
  const answer = changed(checkoutAnswer(), qrCode, { plain: 7, base64: '', url: 'x' });
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    value: changed(checkoutAnswer(), qrCode, { base64: '', url: 'x' }),
    leftOut: [{ path: [...qrCode.split('.'), 'plain'], message: 'expected a string, got a number' }],
  });
});

it('formats are not checked in a response', () => {
  const answer = changed(checkoutAnswer(), 'response.shopper.email', 'no address');
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});
