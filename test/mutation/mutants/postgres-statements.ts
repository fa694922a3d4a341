import { mutantsOf } from '../mutant';

/** In the SQL of `PostgresStore`. */
export const postgresStatementMutants = mutantsOf(
  'src/stores/postgres/sql.ts',
  ['test/stores/postgres-store.test.ts'],
  [
    [
      'claim: the lease outlives what is said',
      '${NOW} + $4::bigint, ${NOW} + $4::bigint + 1)',
      '${NOW} + $4::bigint * 2, ${NOW} + $4::bigint + 1)',
    ],
    [
      'claim: the record expires with no regard to the lease',
      '${NOW} + $4::bigint, ${NOW} + $4::bigint + 1)',
      '${NOW} + $4::bigint, ${NOW})',
    ],
    [
      'claim: the fence of a lease taken again stays',
      'THEN record.fence ELSE GREATEST(record.fence + 1, ${NOW}) END',
      'THEN record.fence ELSE record.fence END',
    ],
    ['claim: the fence is the clock alone', 'GREATEST(record.fence + 1, ${NOW}) END', '${NOW} END'],
    [
      'claim: the fence leaves the clock out',
      'GREATEST(record.fence + 1, ${NOW}) END',
      'record.fence + 1 END',
      'the first fence of a record is the clock, so each is greater than the one before without it, too.',
    ],
    [
      'claim: a claim sent twice takes another fence',
      'fence = CASE WHEN ${MINE} THEN record.fence ELSE GREATEST(record.fence + 1, ${NOW}) END',
      'fence = GREATEST(record.fence + 1, ${NOW})',
    ],
    [
      'claim: a claim sent twice has a longer lease',
      'expires = CASE WHEN ${MINE} THEN record.expires ELSE ${NOW} + $4::bigint END',
      'expires = ${NOW} + $4::bigint',
    ],
    [
      'claim: a lease taken again keeps its old end',
      'expires = CASE WHEN ${MINE} THEN record.expires ELSE ${NOW} + $4::bigint END',
      'expires = record.expires',
    ],
    [
      'claim: GREATEST without what is kept already',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1)',
      'expires_at = GREATEST(record.fence + 2, ${NOW} + $4::bigint + 1)',
    ],
    [
      'claim: GREATEST without the fence',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1)',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint + 1)',
    ],
    [
      'claim: GREATEST without the lease',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1)',
      'expires_at = GREATEST(record.expires_at, record.fence + 2)',
    ],
    [
      'claim: LEAST for GREATEST',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ',
      'expires_at = LEAST(record.expires_at, record.fence + 2, ',
    ],
    [
      'claim: a state that is done is claimed again',
      'WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})',
      'WHERE (NOT ${LEASED} OR ${MINE})',
    ],
    [
      'claim: a live lease is taken over',
      'WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})',
      'WHERE NOT ${DONE}',
    ],
    [
      'claim: a claim sent twice is busy',
      'WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})',
      'WHERE NOT ${DONE} AND NOT ${LEASED}',
    ],
    [
      'claim: done is said of any subject',
      "SELECT CASE WHEN ${DONE} THEN 'done' ELSE 'busy' END",
      "SELECT 'done'",
    ],
    [
      'claim: busy before done',
      "SELECT CASE WHEN ${DONE} THEN 'done' ELSE 'busy' END",
      "SELECT CASE WHEN ${LEASED} THEN 'busy' WHEN ${DONE} THEN 'done' ELSE 'busy' END",
    ],
    [
      'claim: rows of other subjects',
      'WHERE subject = $1 AND NOT EXISTS (SELECT FROM claimed)',
      'WHERE NOT EXISTS (SELECT FROM claimed)',
    ],
    ['claim: two rows', 'WHERE subject = $1 AND NOT EXISTS (SELECT FROM claimed)', 'WHERE subject = $1'],
    ['done: what has expired counts', "WHERE (entry ->> 'expires')::bigint > ${NOW}`;", 'WHERE true`;'],
    [
      'done: any state',
      "${LIVE} AND entry ->> 'state' = $2)`;\nconst DONE_BY_TOKEN",
      '${LIVE})`;\nconst DONE_BY_TOKEN',
    ],
    [
      'done by token: any token',
      "AND entry ->> 'state' = $2 AND entry ->> 'token' = $3)`",
      "AND entry ->> 'state' = $2)`",
    ],
    [
      'done by token: any state',
      "AND entry ->> 'state' = $2 AND entry ->> 'token' = $3)`",
      "AND entry ->> 'token' = $3)`",
    ],
    [
      'states: newest first',
      "jsonb_agg(entry -> 'state' ORDER BY position)",
      "jsonb_agg(entry -> 'state' ORDER BY position DESC)",
    ],
    ['bound: the oldest are kept', 'ORDER BY position DESC LIMIT', 'ORDER BY position LIMIT'],
    ['bound: one more', 'LIMIT ${MAX_STATES - 1}', 'LIMIT ${MAX_STATES}'],
    ['bound: one less', 'LIMIT ${MAX_STATES - 1}', 'LIMIT ${MAX_STATES - 2}'],
    ['bound: none', 'LIMIT ${MAX_STATES - 1}', ''],
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
    ['mine: an expired lease is', '`(${LEASED} AND record.token = $3)`', '`(record.token = $3)`'],
    ['mine: any lease is', '`(${LEASED} AND record.token = $3)`', '`(${LEASED})`'],
    [
      'complete: a completion sent twice is recorded twice',
      'done = CASE WHEN ${DONE_BY_TOKEN} THEN record.done ELSE',
      'done = CASE WHEN false THEN record.done ELSE',
    ],
    [
      'complete: what was done before is lost',
      '${NEWEST_BUT_ONE}\n      || jsonb_build_object',
      "'[]'::jsonb\n      || jsonb_build_object",
    ],
    [
      'complete: GREATEST without what is kept already',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),',
      'expires_at = ${NOW} + $4::bigint,',
    ],
    [
      'complete: GREATEST without the retention',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),',
      'expires_at = record.expires_at,',
    ],
    [
      'complete: LEAST for GREATEST',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),',
      'expires_at = LEAST(record.expires_at, ${NOW} + $4::bigint),',
    ],
    ['complete: keeps the lease', 'token = NULLIF(record.token, $3)', 'token = record.token'],
    ['complete: frees the lease of another', 'token = NULLIF(record.token, $3)', 'token = NULL'],
    [
      'complete: without a lease',
      'WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`',
      'WHERE record.subject = $1`',
    ],
    [
      'complete: not confirmed again',
      'WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`',
      'WHERE record.subject = $1 AND ${MINE}`',
    ],
    [
      'complete: of every subject',
      'WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`',
      'WHERE (${MINE} OR ${DONE_BY_TOKEN})`',
    ],
    [
      'release: any token',
      'SET token = NULL WHERE subject = $1 AND token = $2`',
      'SET token = NULL WHERE subject = $1`',
    ],
    [
      'deleteExpired: what lives',
      'WHERE expires_at <= (SELECT ${NOW})\n  ORDER BY',
      'WHERE true\n  ORDER BY',
    ],
    [
      'deleteExpired: by the end of the lease',
      'WHERE expires_at <= (SELECT ${NOW})\n  ORDER BY',
      'WHERE expires <= (SELECT ${NOW})\n  ORDER BY',
    ],
    ['deleteExpired: nothing', 'WHERE expires_at <= (SELECT ${NOW})\n  ORDER BY', 'WHERE false\n  ORDER BY'],
    [
      'deleteExpired: without a limit',
      'ORDER BY expires_at LIMIT $1 FOR',
      'ORDER BY expires_at LIMIT $1 + 1000 FOR',
    ],
    [
      'parked: what has expired is given',
      'WHERE expires_at > (SELECT ${NOW}) AND last_failed_at',
      'WHERE last_failed_at',
    ],
    ['parked: whatever its time', 'AND last_failed_at >= $2::bigint AND', 'AND $2::bigint IS NOT NULL AND'],
    ['parked: whatever its key', '($1::text IS NULL OR key = $1)', '($1::text IS NULL OR true)'],
    [
      'parked: newest failure first',
      'ORDER BY last_failed_at, key LIMIT',
      'ORDER BY last_failed_at DESC, key LIMIT',
    ],
    [
      'parked: what expired goes on counting',
      "const KEPT = 'parked.expires_at > excluded.last_failed_at'",
      "const KEPT = 'true'",
    ],
    ['parked: keeps its first end', 'expires_at = excluded.expires_at`,', 'expires_at = parked.expires_at`,'],
    [
      'deleteExpired: parked that are kept',
      'WHERE expires_at <= (SELECT ${NOW}) LIMIT $1 FOR',
      'WHERE true LIMIT $1 FOR',
    ],
  ],
);
