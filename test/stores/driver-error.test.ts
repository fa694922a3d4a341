import { expect, it } from 'vitest';
import { cannotAsk } from '../../src/stores/driver-error';

const noSuchDatabase = { code: 'ER_BAD_DB_ERROR', errno: 1049, message: "Unknown database 'shop'" };

it.each([
  ['a database that is not reached', { code: 'ECONNREFUSED' }, 'cannot be reached'],
  ['a client that was closed', { message: 'The pool is closed' }, 'Its client is closed'],
  ['a password that is wrong', { code: 'ER_ACCESS_DENIED_ERROR' }, 'refused the user or the password'],
])('tells of %s before a schema that is missing', (_, error, says) => {
  expect(cannotAsk({ ...error, cause: noSuchDatabase }, 'MySQL', 'shop')).toContain(says);
});

it.each([
  ['shop', 'that the option `schema` names does not exist'],
  ['another', 'names no database'],
])('tells an option `schema` from the database of the address: %s', (schema, says) => {
  expect(cannotAsk(noSuchDatabase, 'MySQL', schema)).toContain(says);
});
