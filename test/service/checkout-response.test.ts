import { recurringCheckoutSchema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { checkoutAnswer } from '../client/support';
import { changed, testFields } from './fields';
import { checkoutAnswerFields } from './tables';

testFields(recurringCheckoutSchema, checkoutAnswer, checkoutAnswerFields, { lenient: true });

const qrCode = 'response.instructions.qrCode';

it.each(['plain', 'base64', 'url'])('a QR code with %s alone will do', (form) => {
  const answer = changed(checkoutAnswer(), qrCode, { [form]: 'x' });
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});

it.each([{}, { plain: '' }, { plain: null, base64: null, url: null }, { novel: 'x' }, { plain: 7 }])(
  'a QR code with none of its forms will not do: %j',
  (none) => {
    expect(recurringCheckoutSchema['~standard'].validate(changed(checkoutAnswer(), qrCode, none))).toEqual({
      issues: [{ path: qrCode.split('.'), message: 'expected at least one of plain, base64 and url' }],
    });
  },
);

it('an empty uuid is none', () => {
  const answer = changed(checkoutAnswer(), 'response.uuid', '');
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    issues: [{ path: ['response', 'uuid'], message: 'expected a non-empty string' }],
  });
});

it('steps with anything but text among them are left out', () => {
  const answer = changed(checkoutAnswer(), 'response.instructions.steps.qrCode', ['a', 7, null]);
  const path = ['response', 'instructions', 'steps', 'qrCode', 1];
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    value: changed(checkoutAnswer(), 'response.instructions.steps', {}),
    leftOut: [{ path, message: 'expected a string, got a number' }],
  });
});

it('of the forms of a QR code, those of another type are left out when one is left', () => {
  const answer = changed(checkoutAnswer(), qrCode, { plain: 7, base64: '', url: 'x' });
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({
    value: changed(checkoutAnswer(), qrCode, { base64: '', url: 'x' }),
    leftOut: [{ path: [...qrCode.split('.'), 'plain'], message: 'expected a string, got a number' }],
  });
});

it('formats are not checked in what comes in', () => {
  const answer = changed(checkoutAnswer(), 'response.shopper.email', 'no address');
  expect(recurringCheckoutSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});
