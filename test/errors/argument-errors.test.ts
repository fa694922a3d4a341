import { InvalidRequestError } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';

const issues = [{ path: ['a', 0, 'b'], message: 'expected a string' }];
const pointer = 'See docs/errors.md#invalid_request in pix-automatic-sdk.';

it.each([undefined, {}, { ofCall: undefined }, { ofCall: true }])(
  'an InvalidRequestError of a call (%j) is not-sent, and names its issues with their paths',
  (options) => {
    const { name, outcome, message } = new InvalidRequestError('The request', issues, options);
    expect(name).toBe('InvalidRequestError');
    expect(outcome).toBe('not-sent');
    const summary = 'The request was refused before anything was sent. a.0.b: expected a string.';
    expect(message).toBe(`${summary} ${pointer}`);
  },
);

it('an InvalidRequestError of a helper that sends nothing has no outcome, nor in JSON', () => {
  const error = new InvalidRequestError('The QR code', issues, { ofCall: false });
  expect(error.outcome).toBeUndefined();
  expect(error.message).toBe(`The QR code is not valid. a.0.b: expected a string. ${pointer}`);
  expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'invalid_request', issues });
});
