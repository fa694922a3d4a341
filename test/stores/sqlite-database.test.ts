import { describe, expect, it } from 'vitest';
import { mayPass } from '../../src/stores/sqlite/database';

const failure = (fields: object) => Object.assign(new Error('database is locked'), fields);

describe('An error of SQLite', () => {
  it.each([
    ['node:sqlite: busy', { code: 'ERR_SQLITE_ERROR', errcode: 5 }],
    ['node:sqlite: busy in recovery', { code: 'ERR_SQLITE_ERROR', errcode: 261 }],
    ['node:sqlite: busy with a snapshot', { code: 'ERR_SQLITE_ERROR', errcode: 517 }],
    ['node:sqlite: another schema', { code: 'ERR_SQLITE_ERROR', errcode: 17 }],
    ['better-sqlite3: busy', { code: 'SQLITE_BUSY' }],
    ['better-sqlite3: busy with a snapshot', { code: 'SQLITE_BUSY_SNAPSHOT' }],
    ['better-sqlite3: another schema', { code: 'SQLITE_SCHEMA' }],
    ['a name beside an errcode that is no number', { code: 'SQLITE_BUSY', errcode: 'none' }],
  ])('passes when others are done with the file: %s', (_, fields) => {
    expect(mayPass(failure(fields))).toBe(true);
  });

  it.each([
    ['node:sqlite: an error in SQL', { code: 'ERR_SQLITE_ERROR', errcode: 1 }],
    ['node:sqlite: locked by its own connection', { code: 'ERR_SQLITE_ERROR', errcode: 6 }],
    ['node:sqlite: a full disk', { code: 'ERR_SQLITE_ERROR', errcode: 13 }],
    ['node:sqlite: an extended code with 5 beyond its last byte', { errcode: 1281 }],
    ['node:sqlite: the number counts before the name', { code: 'SQLITE_BUSY', errcode: 11 }],
    ['better-sqlite3: locked by its own connection', { code: 'SQLITE_LOCKED' }],
    ['better-sqlite3: a file that is broken', { code: 'SQLITE_CORRUPT' }],
    ['another name with the same ending', { code: 'NOT_SQLITE_BUSY' }],
    ['a number as text', { errcode: '5' }],
    ['neither a name nor a number', {}],
  ])('does not pass by itself: %s', (_, fields) => {
    expect(mayPass(failure(fields))).toBe(false);
  });

  it('does not pass by itself when it is no error object', () => {
    for (const thrown of [undefined, null, 'SQLITE_BUSY', 5, { errcode: 5 }, { code: 'SQLITE_BUSY' }]) {
      expect(mayPass(thrown)).toBe(false);
    }
  });
});
