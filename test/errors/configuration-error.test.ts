import { ConfigurationError } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';

it('a ConfigurationError is not-sent', () => {
  const error = new ConfigurationError('Expected a key.');
  const expected = { name: 'ConfigurationError', code: 'configuration', outcome: 'not-sent' };
  expect(error).toMatchObject(expected);
});
