import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import { storeCause } from '../../src/webhooks/report';

const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

/** As the drivers throw them; the table says what each one means. */
const shapes: readonly (readonly [driver: string, thrown: unknown, cause: RegExp])[] = [
  [
    'pg: no table',
    error('relation "x" does not exist', { code: '42P01', name: 'error' }),
    /table does not exist/,
  ],
  ['pg: no right', error('permission denied for table x', { code: '42501' }), /has no right/],
  ['pg: wrong password', error('password authentication failed', { code: '28P01' }), /has no right/],
  [
    'pg: read-only',
    error('cannot execute INSERT in a read-only transaction', { code: '25006' }),
    /read-only/,
  ],
  ['pg: pool empty', error('timeout exceeded when trying to connect'), /No connection was free/],
  [
    'pg: too many clients',
    error('sorry, too many clients already', { code: '53300' }),
    /No connection was free/,
  ],
  ['pg: refused', new AggregateError([error('', { code: 'ECONNREFUSED' })]), /cannot be reached/],
  ['pg: shutting down', error('terminating connection', { code: '57P01' }), /cannot be reached/],
  ['pg: lost', error('Connection terminated unexpectedly'), /cannot be reached/],
  ['pg: swallowed', error('current transaction is aborted', { code: '25P02' }), /caught an SQL error/],
  [
    'mysql2: no table',
    error("Table 'a.x' doesn't exist", { code: 'ER_NO_SUCH_TABLE', errno: 1146 }),
    /table does not exist/,
  ],
  [
    'mysql2: no right',
    error('INSERT command denied', { code: 'ER_TABLEACCESS_DENIED_ERROR' }),
    /has no right/,
  ],
  ['mysql2: read-only', error('--read-only', { code: 'ER_OPTION_PREVENTS_STATEMENT' }), /read-only/],
  ['mysql2: pool empty', error('Queue limit reached.'), /No connection was free/],
  [
    'mysql2: too many',
    error('Too many connections', { code: 'ER_CON_COUNT_ERROR' }),
    /No connection was free/,
  ],
  ['mysql2: lost', error('Connection lost', { code: 'PROTOCOL_CONNECTION_LOST' }), /cannot be reached/],
  [
    'mysql2: savepoint lost',
    error('SAVEPOINT x does not exist', { code: 'ER_SP_DOES_NOT_EXIST' }),
    /caught an SQL error/,
  ],
  [
    'sqlite: no table',
    error('no such table: x', { code: 'ERR_SQLITE_ERROR', errcode: 1 }),
    /table does not exist/,
  ],
  [
    'sqlite: read-only',
    error('attempt to write a readonly database', { code: 'SQLITE_READONLY' }),
    /read-only/,
  ],
  ['sqlite: no file', error('unable to open database file'), /cannot be reached/],
  ['sqlite: locked', error('database is locked'), /holds a lock/],
  [
    'redis: no right',
    error("NOPERM User default has no permissions to run the 'get' command"),
    /has no right/,
  ],
  ['redis: no password', error('NOAUTH Authentication required.'), /has no right/],
  ['redis: read-only', error("READONLY You can't write against a read only replica."), /read-only/],
  ['ioredis: gone', error('', { name: 'MaxRetriesPerRequestError' }), /cannot be reached/],
  ['node-redis: gone', error('The client is closed', { name: 'ClientClosedError' }), /cannot be reached/],
  [
    'prisma: no table',
    error('raw query failed', { code: 'P2010', meta: { code: '42P01' } }),
    /table does not exist/,
  ],
  ['typeorm: no table', error('failed', { driverError: { code: '42P01' } }), /table does not exist/],
  ['sequelize: refused', error('failed', { parent: { code: 'ECONNREFUSED' } }), /cannot be reached/],
  ['ours, which wraps', new StoreError('failed', { cause: error('', { code: '42501' }) }), /has no right/],
  ['too slow', error('took longer than 5000 ms', { name: 'DeadlineExceeded' }), /did not answer in time/],
];

describe('the report of a store that failed', () => {
  it.each(shapes)('names the cause and the way out: %s', (_, thrown, cause) => {
    expect(storeCause(thrown)).toMatch(cause);
  });

  const loop = error('loop') as Error & { cause: unknown };
  loop.cause = loop;
  it.each([
    ['nothing', undefined],
    ['text', 'ECONNREFUSED'],
    ['an unknown error', error('S3CRET')],
    ['a loop', loop],
  ])('sends to the error for %s', (_, thrown) => {
    expect(storeCause(thrown)).toBe('See `error`.');
  });
});
