import { InvalidRequestError } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/client/request';
import { operations } from '../../src/service/operations';

const { getTransaction, cancelScheduledPayment } = operations;

it.each([
  ['uuid-1', 'uuid-1'],
  ['...', '...'],
  ['.a', '.a'],
  ['a.', 'a.'],
  ['..a', '..a'],
  ['a..', 'a..'],
  ['../x', '..%2Fx'],
  ['%2e%2e', '%252e%252e'],
  ['a?b#c', 'a%3Fb%23c'],
  [' ', '%20'],
  ["$&$'", "%24%26%24'"],
  ['\u{1f3e0}', '%F0%9F%8F%A0'],
])('the identifier %j is encoded as %s in the path', (identifier, encoded) => {
  expect(pathOf(getTransaction, identifier)).toBe(`/v1.1/transactions/${encoded}`);
  expect(pathOf(cancelScheduledPayment, identifier)).toBe(
    `/v1.1/pix-automatic/scheduled-payments/${encoded}/cancel`,
  );
});

describe.each([
  ['getTransaction', getTransaction, 'transactionUUID'],
  ['cancelScheduledPayment', cancelScheduledPayment, 'instructionId'],
])('%s', (name, operation, parameter) => {
  it.each([
    [undefined, 'expected a string'],
    [['uuid-1'], 'expected a string'],
    ['', 'expected a non-empty string'],
    ['.', 'expected an identifier, not a dot segment of a path'],
    ['..', 'expected an identifier, not a dot segment of a path'],
    ['a\ud800b', 'expected well-formed Unicode'],
    ['\udc00', 'expected well-formed Unicode'],
  ])('refuses %j as an identifier, and says why', (identifier, message) => {
    let thrown: unknown;
    try {
      pathOf(operation, identifier as string);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect(thrown).toMatchObject({
      issues: [{ path: [parameter], message }],
      message: expect.stringContaining(`The call of ${name} was refused`),
    });
  });
});
