import { recurringCheckoutSchema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { checkoutAnswer } from '../client/support';
import { changed, testFields } from './fields';
import { checkoutAnswerFields } from './tables';

testFields(recurringCheckoutSchema, checkoutAnswer, checkoutAnswerFields, { lenient: true });

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
  const path = ['response', 'instructions', 'steps', 'qrCode'];
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    value: changed(checkoutAnswer(), 'response.instructions.steps', {}),
    leftOut: [{ path, message: 'expected the documented type, got an array' }],
  });
});

it('a form of the QR code that is not text is left out when another form is usable', () => {
  const answer = changed(checkoutAnswer(), qrCode, { plain: 7, base64: '', url: 'x' });
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    value: changed(checkoutAnswer(), qrCode, { base64: '', url: 'x' }),
    leftOut: [
      { path: [...qrCode.split('.'), 'plain'], message: 'expected the documented type, got a number' },
    ],
  });
});

it('formats are not checked in a response', () => {
  const answer = changed(checkoutAnswer(), 'response.shopper.email', 'no address');
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});
