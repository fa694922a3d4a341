import { mutantsOf } from '../mutant';

const tests = ['test/stores/sqlite-store.test.ts'];
const EXPIRES_AT = 'expires_at = max(record.expires_at, record.fence + 2, ${NOW} + ${DURATION} + 1)';

/** In the SQL of `SqliteStore`, and in its use of the driver. */
export const sqliteMutants = [
  ...mutantsOf(
    'src/stores/sqlite/sql.ts',
    tests,
    [
      [
        'claim: the record expires before its lease',
        "${NOW} + ${DURATION}, '[]', ${NOW} + ${DURATION} + 1)",
        "${NOW} + ${DURATION}, '[]', ${NOW})",
      ],
      ['claim: the fence is only the clock', 'max(record.fence + 1, ${NOW}) END', '${NOW} END'],
      [
        'claim: the fence leaves the clock out',
        'max(record.fence + 1, ${NOW}) END',
        'record.fence + 1 END',
        'the first fence of a record is the clock, so each is greater than the one before without it, too.',
      ],
      [
        'claim: a claim sent twice has a longer lease',
        'expires = CASE WHEN ${MINE} THEN record.expires ELSE ${NOW} + ${DURATION} END',
        'expires = ${NOW} + ${DURATION}',
      ],
      [
        'claim: a lease taken again keeps its old end',
        'expires = CASE WHEN ${MINE} THEN record.expires ELSE ${NOW} + ${DURATION} END',
        'expires = record.expires',
      ],
      [
        'claim: max leaves out the present expiry',
        EXPIRES_AT,
        'expires_at = max(record.fence + 2, ${NOW} + ${DURATION} + 1)',
      ],
      [
        'claim: max leaves out the fence',
        EXPIRES_AT,
        'expires_at = max(record.expires_at, ${NOW} + ${DURATION} + 1)',
      ],
      [
        'claim: max leaves out the lease',
        EXPIRES_AT,
        'expires_at = max(record.expires_at, record.fence + 2)',
      ],
      [
        'claim: min replaces max',
        EXPIRES_AT,
        'expires_at = min(record.expires_at, record.fence + 2, ${NOW} + ${DURATION} + 1)',
      ],
      [
        'claim: a done state is claimed again',
        'WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})',
        'WHERE (NOT ${LEASED} OR ${MINE})',
      ],
      [
        'claim: a live lease is taken over',
        'WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})',
        'WHERE NOT ${DONE}',
      ],
      ['done: an expired state counts', "WHERE entry.value ->> 'expires' > ${NOW}`", 'WHERE true`'],
      [
        'leased: an expired lease counts',
        '(record.token IS NOT NULL AND record.expires > ${NOW})',
        '(record.token IS NOT NULL)',
      ],
      [
        'leased: a released lease counts',
        '(record.token IS NOT NULL AND record.expires > ${NOW})',
        '(record.expires > ${NOW})',
      ],
      [
        'mine: an expired lease counts',
        '`(${LEASED} AND record.token = @token)`',
        '`(record.token = @token)`',
      ],
      ['mine: any lease counts', '`(${LEASED} AND record.token = @token)`', '`(${LEASED})`'],
      [
        'complete: max leaves out the present expiry',
        'expires_at = max(record.expires_at, ${NOW} + ${DURATION}),',
        'expires_at = ${NOW} + ${DURATION},',
      ],
      [
        'complete: max leaves out the retention',
        'expires_at = max(record.expires_at, ${NOW} + ${DURATION}),',
        'expires_at = record.expires_at,',
      ],
      [
        'complete: min replaces max',
        'expires_at = max(record.expires_at, ${NOW} + ${DURATION}),',
        'expires_at = min(record.expires_at, ${NOW} + ${DURATION}),',
      ],
      ['complete: the lease is kept', 'token = NULLIF(record.token, @token)', 'token = record.token'],
      [
        'complete: the lease of another claim is freed',
        'token = NULLIF(record.token, @token)',
        'token = NULL',
      ],
      [
        'complete: no lease is needed',
        'WHERE record.subject = @subject AND (${MINE} OR ${DONE_BY_TOKEN})',
        'WHERE record.subject = @subject',
      ],
      [
        'complete: a repeated completion is not confirmed',
        'WHERE record.subject = @subject AND (${MINE} OR ${DONE_BY_TOKEN})',
        'WHERE record.subject = @subject AND ${MINE}',
      ],
      ['bound: the oldest are kept', 'ORDER BY entry.key DESC LIMIT', 'ORDER BY entry.key LIMIT'],
      ['bound: one state more is kept', 'LIMIT ${MAX_STATES - 1})', 'LIMIT ${MAX_STATES})'],
      [
        'release: any token is accepted',
        'SET token = NULL WHERE subject = @subject AND token = @token RETURNING',
        'SET token = NULL WHERE subject = @subject RETURNING',
      ],
      [
        'deleteExpired: live records are deleted',
        'WHERE expires_at <= ${NOW} ORDER BY',
        'WHERE true ORDER BY',
      ],
      [
        'deleteExpired: the end of the lease counts as the expiry',
        'WHERE expires_at <= ${NOW} ORDER BY',
        'WHERE expires <= ${NOW} ORDER BY',
      ],
      ['deleteExpired: nothing is deleted', 'WHERE expires_at <= ${NOW} ORDER BY', 'WHERE false ORDER BY'],
      [
        'parked: expired notifications are listed',
        'WHERE expires_at > ${NOW} AND last_failed_at',
        'WHERE last_failed_at',
      ],
      [
        'deleteExpired: live parked notifications are deleted',
        'WHERE expires_at <= ${NOW} LIMIT',
        'WHERE true LIMIT',
      ],
    ],
    { needsSqlite: true },
  ),
  ...mutantsOf(
    'src/stores/sqlite/database.ts',
    ['test/stores/better-sqlite3.test.ts'],
    [
      [
        'better-sqlite3: the name SQLITE_BUSY is not recognized',
        'return Object.keys(PASSING).some((name) => code.startsWith(name));',
        'return false;',
      ],
    ],
  ),
  ...mutantsOf(
    'src/stores/sqlite/sqlite-store.ts',
    ['test/stores/better-sqlite3.test.ts'],
    [['better-sqlite3: inTransaction is not asked', 'this.#database.inTransaction === true || ', '']],
  ),
  ...mutantsOf(
    'src/stores/sqlite/sqlite-store.ts',
    tests,
    [['node:sqlite: isTransaction is not asked', ' || this.#database.isTransaction === true', '']],
    { needsSqlite: true },
  ),
];
