import { mutantsOf } from '../mutant';

/** In the SQL of `PostgresStore`. */
export const postgresStatementMutants = mutantsOf(
  'src/stores/postgres/sql.ts',
  ['test/stores/postgres-store.test.ts'],
  [
    [
      'claim: the lease is longer than asked',
      '${NOW} + $4::bigint, ${NOW} + $4::bigint + 1)',
      '${NOW} + $4::bigint * 2, ${NOW} + $4::bigint + 1)',
    ],
    [
      'claim: the record expires before its lease',
      '${NOW} + $4::bigint, ${NOW} + $4::bigint + 1)',
      '${NOW} + $4::bigint, ${NOW})',
    ],
    [
      'claim: the fence does not grow when a lease is taken again',
      'THEN record.fence ELSE GREATEST(record.fence + 1, ${NOW}) END',
      'THEN record.fence ELSE record.fence END',
    ],
    ['claim: the fence is only the clock', 'GREATEST(record.fence + 1, ${NOW}) END', '${NOW} END'],
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
      'claim: GREATEST leaves out the present expiry',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1)',
      'expires_at = GREATEST(record.fence + 2, ${NOW} + $4::bigint + 1)',
    ],
    [
      'claim: GREATEST leaves out the fence',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1)',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint + 1)',
    ],
    [
      'claim: GREATEST leaves out the lease',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1)',
      'expires_at = GREATEST(record.expires_at, record.fence + 2)',
    ],
    [
      'claim: LEAST replaces GREATEST',
      'expires_at = GREATEST(record.expires_at, record.fence + 2, ',
      'expires_at = LEAST(record.expires_at, record.fence + 2, ',
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
    [
      'claim: a claim sent twice is busy',
      'WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})',
      'WHERE NOT ${DONE} AND NOT ${LEASED}',
    ],
    [
      'claim: done is answered for any subject',
      "SELECT CASE WHEN ${DONE} THEN 'done' ELSE 'busy' END",
      "SELECT 'done'",
    ],
    [
      'claim: busy is answered before done',
      "SELECT CASE WHEN ${DONE} THEN 'done' ELSE 'busy' END",
      "SELECT CASE WHEN ${LEASED} THEN 'busy' WHEN ${DONE} THEN 'done' ELSE 'busy' END",
    ],
    [
      'claim: rows of other subjects are returned',
      'WHERE subject = $1 AND NOT EXISTS (SELECT FROM claimed)',
      'WHERE NOT EXISTS (SELECT FROM claimed)',
    ],
    [
      'claim: two rows are returned',
      'WHERE subject = $1 AND NOT EXISTS (SELECT FROM claimed)',
      'WHERE subject = $1',
    ],
    ['done: an expired state counts', "WHERE (entry ->> 'expires')::bigint > ${NOW}`;", 'WHERE true`;'],
    [
      'done: any state counts',
      "${LIVE} AND entry ->> 'state' = $2)`;\nconst DONE_BY_TOKEN",
      '${LIVE})`;\nconst DONE_BY_TOKEN',
    ],
    [
      'done by token: any token counts',
      "AND entry ->> 'state' = $2 AND entry ->> 'token' = $3)`",
      "AND entry ->> 'state' = $2)`",
    ],
    [
      'done by token: any state counts',
      "AND entry ->> 'state' = $2 AND entry ->> 'token' = $3)`",
      "AND entry ->> 'token' = $3)`",
    ],
    [
      'states: the newest comes first',
      "jsonb_agg(entry -> 'state' ORDER BY position)",
      "jsonb_agg(entry -> 'state' ORDER BY position DESC)",
    ],
    ['bound: the oldest are kept', 'ORDER BY position DESC LIMIT', 'ORDER BY position LIMIT'],
    ['bound: one state more is kept', 'LIMIT ${MAX_STATES - 1}', 'LIMIT ${MAX_STATES}'],
    ['bound: one state less is kept', 'LIMIT ${MAX_STATES - 1}', 'LIMIT ${MAX_STATES - 2}'],
    ['bound: any number of states is kept', 'LIMIT ${MAX_STATES - 1}', ''],
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
    ['mine: an expired lease counts', '`(${LEASED} AND record.token = $3)`', '`(record.token = $3)`'],
    ['mine: any lease counts', '`(${LEASED} AND record.token = $3)`', '`(${LEASED})`'],
    [
      'complete: a completion sent twice is recorded twice',
      'done = CASE WHEN ${DONE_BY_TOKEN} THEN record.done ELSE',
      'done = CASE WHEN false THEN record.done ELSE',
    ],
    [
      'complete: earlier done states are lost',
      '${NEWEST_BUT_ONE}\n      || jsonb_build_object',
      "'[]'::jsonb\n      || jsonb_build_object",
    ],
    [
      'complete: GREATEST leaves out the present expiry',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),',
      'expires_at = ${NOW} + $4::bigint,',
    ],
    [
      'complete: GREATEST leaves out the retention',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),',
      'expires_at = record.expires_at,',
    ],
    [
      'complete: LEAST replaces GREATEST',
      'expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),',
      'expires_at = LEAST(record.expires_at, ${NOW} + $4::bigint),',
    ],
    ['complete: the lease is kept', 'token = NULLIF(record.token, $3)', 'token = record.token'],
    ['complete: the lease of another claim is freed', 'token = NULLIF(record.token, $3)', 'token = NULL'],
    [
      'complete: no lease is needed',
      'WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`',
      'WHERE record.subject = $1`',
    ],
    [
      'complete: a repeated completion is not confirmed',
      'WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`',
      'WHERE record.subject = $1 AND ${MINE}`',
    ],
    [
      'complete: every subject is completed',
      'WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`',
      'WHERE (${MINE} OR ${DONE_BY_TOKEN})`',
    ],
    [
      'release: any token is accepted',
      'SET token = NULL WHERE subject = $1 AND token = $2`',
      'SET token = NULL WHERE subject = $1`',
    ],
    [
      'deleteExpired: live records are deleted',
      'WHERE expires_at <= (SELECT ${NOW})\n  ORDER BY',
      'WHERE true\n  ORDER BY',
    ],
    [
      'deleteExpired: the end of the lease counts as the expiry',
      'WHERE expires_at <= (SELECT ${NOW})\n  ORDER BY',
      'WHERE expires <= (SELECT ${NOW})\n  ORDER BY',
    ],
    [
      'deleteExpired: nothing is deleted',
      'WHERE expires_at <= (SELECT ${NOW})\n  ORDER BY',
      'WHERE false\n  ORDER BY',
    ],
    [
      'deleteExpired: the limit is ignored',
      'ORDER BY expires_at LIMIT $1 FOR',
      'ORDER BY expires_at LIMIT $1 + 1000 FOR',
    ],
    [
      'parked: expired notifications are listed',
      'WHERE expires_at > (SELECT ${NOW}) AND last_failed_at',
      'WHERE last_failed_at',
    ],
    ['parked: `since` is ignored', 'AND last_failed_at >= $2::bigint AND', 'AND $2::bigint IS NOT NULL AND'],
    ['parked: `key` is ignored', '($1::text IS NULL OR key = $1)', '($1::text IS NULL OR true)'],
    [
      'parked: the newest failure comes first',
      'ORDER BY last_failed_at, key LIMIT',
      'ORDER BY last_failed_at DESC, key LIMIT',
    ],
    [
      'parked: an expired notification keeps its count',
      "const KEPT = 'parked.expires_at > excluded.last_failed_at'",
      "const KEPT = 'true'",
    ],
    [
      'parked: a later failure does not extend the retention',
      'expires_at = excluded.expires_at`,',
      'expires_at = parked.expires_at`,',
    ],
    [
      'deleteExpired: live parked notifications are deleted',
      'WHERE expires_at <= (SELECT ${NOW}) LIMIT $1 FOR',
      'WHERE true LIMIT $1 FOR',
    ],
  ],
);
