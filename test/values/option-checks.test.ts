import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import {
  checkCount,
  checkDuration,
  checkFunction,
  checkPositive,
  readNamedOptions,
  readPage,
} from '../../src/values/option-checks';

const notNumbers = [Number.NaN, Number.POSITIVE_INFINITY, '5', undefined, null, 5n];

it.each([
  ['checkPositive', () => checkPositive('x', 0.001, 10), 0.001],
  ['checkPositive', () => checkPositive('x', 10, 10), 10],
  // As long as a timer can be, where there is no maximum.
  ['checkPositive', () => checkPositive('x', 2 ** 31 - 1), 2 ** 31 - 1],
  ['checkDuration', () => checkDuration('x', 1), 1],
  ['checkDuration', () => checkDuration('x', 0.001), 1],
  ['checkDuration', () => checkDuration('x', 1.5), 2],
  ['checkDuration', () => checkDuration('x', 1e13), 1e13],
  ['checkCount', () => checkCount('x', 1, 10), 1],
  ['checkCount', () => checkCount('x', 10, 10), 10],
  ['checkCount', () => checkCount('x', Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ['checkFunction', () => checkFunction('x', () => true, '(body) => boolean'), undefined],
])('%s accepts what is right (row %$)', (_, check, result) => expect(check()).toBe(result));

const positive = 'a number above 0 and at most';
const count = 'a whole number from 1 to 10, or left out for the default';

const toTen = (wrong: unknown) => checkPositive('name', wrong as never, 10);
const toLongest = (wrong: unknown) => checkPositive('name', wrong as never);
const duration = (wrong: unknown) => checkDuration('name', wrong as never);
const countToTen = (wrong: unknown) => checkCount('name', wrong as never, 10);

it.each<[unknown[], (wrong: unknown) => unknown, string]>([
  [[0, -1, 11, ...notNumbers], toTen, `${positive} 10`],
  [[0, 2 ** 31], toLongest, `${positive} 2147483647`],
  [[0, -1, 1e13 + 1, ...notNumbers], duration, `${positive} 10000000000000`],
  [[0, -1, 1.5, 11, ...notNumbers], countToTen, count],
])('%o are refused: %o expects %s', (wrong, check, expected) => {
  const message = `Expected \`name\` to be ${expected}. Text from the environment needs \`Number(…)\`.`;
  for (const value of wrong) {
    expect(() => check(value)).toThrow(ConfigurationError);
    expect(() => check(value)).toThrow(message);
  }
});

it.each([undefined, null, 'match', 7, {}])('checkFunction refuses %s, and names what to pass', (wrong) => {
  const check = () => checkFunction('match', wrong, '(body) => boolean');
  expect(check).toThrow(ConfigurationError);
  expect(check).toThrow('Expected `match` to be a function: `(body) => boolean`.');
});

const names = {
  deadLetters: true,
  bodyTimeoutMs: true,
  storeTimeoutMs: true,
  maxTransactions: true,
} as const;

it.each([
  ['deadletters', 'Did you mean `deadLetters`?'],
  ['maxTransaction', 'Did you mean `maxTransactions`?'],
  ['maxTransactionsMs', 'Did you mean `maxTransactions`?'],
  ['storeTimeotuMs', 'Did you mean `storeTimeoutMs`?'],
  ['timeout', 'Did you mean `bodyTimeoutMs` or `storeTimeoutMs`?'],
  ['colour', 'Its options are deadLetters, bodyTimeoutMs, storeTimeoutMs, maxTransactions.'],
  ['toString', 'Its options are deadLetters,'],
  ['__proto__', 'Its options are deadLetters,'],
])('an option %s, which nothing reads, is refused', (name, hint) => {
  const given = JSON.parse(`{"${name}":1}`) as object;
  const read = () => readNamedOptions('createThing', given, names as never);
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(`\`createThing\` has no option \`${name}\`. ${hint}`);
});

it('an option that is undefined is left out before names are checked', () => {
  const given = { deadletters: undefined, deadLetters: undefined, bodyTimeoutMs: 1 };
  const read = readNamedOptions('createThing', given, names as never);
  expect(Object.entries(read)).toEqual([['bodyTimeoutMs', 1]]);
});

it.each([
  ['1h', 'a string'],
  [5, 'a number'],
  [true, 'a boolean'],
  [['deadLetters'], 'a list'],
  [() => undefined, 'a function'],
])('options that are %j are refused, and not taken for none', (given, got) => {
  const read = () => readNamedOptions('createThing', given as never, names as never);
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(`Expected the options as an object, \`createThing({ deadLetters })\`, got ${got}.`);
});

it('a signal in place of the options is refused, and not taken for none', () => {
  const { signal } = new AbortController();
  const read = () => readNamedOptions('createThing', signal as never, { signal: true } as never);
  expect(read).toThrow('Expected the signal as an option, by its name: `{ signal }`');
});

it.each(['transactional', 'transaction', 'transactions'])(
  'an option %s, where there is none, is answered with the stores that join transactions',
  (name) => {
    const read = () => readNamedOptions('MysqlStore', { [name]: true }, names as never);
    expect(read).toThrow(`\`MysqlStore\` has no option \`${name}\`. Stores that join transactions are`);
  },
);

it('readPage gives the page, 100 long if nothing is said', () => {
  expect(readPage('list', undefined, 'a key')).toEqual({ after: undefined, limit: 100 });
  expect(readPage('list', { after: 'a', limit: 2 }, 'a key')).toEqual({ after: 'a', limit: 2 });
});

it.each([
  [{ after: 5 }, 'Expected `after` to be a key, the last one that was read, got a number.'],
  [{ after: { key: 'a' } }, 'got an object.'],
  [{ limit: '5' }, 'Expected `limit` to be a whole number'],
  [{ state: 'paid' }, '`list` has no option `state`. Its options are after, limit.'],
  ['a', 'Expected the options as an object, `list({ after })`, got a string.'],
])('readPage refuses %j', (query, says) => {
  expect(() => readPage('list', query as never, 'a key')).toThrow(says);
});
