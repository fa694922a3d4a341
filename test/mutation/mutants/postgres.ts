import { mutantsOf } from '../mutant';

const transactional = ['test/stores/postgres-transactional.test.ts'];
const both = [
  'test/stores/postgres-connection.test.ts',
  ...transactional,
  'test/stores/postgres-strain.test.ts',
];
const slots = ['test/stores/slots.test.ts'];

/** In the connections and transactions of `PostgresStore`. */
export const postgresMutants = [
  ...mutantsOf('src/stores/postgres/transact.ts', transactional, [
    ['ROLLBACK is left out after busy', "if (!locked) {\n    await step('ROLLBACK');", 'if (!locked) {'],
    [
      'ROLLBACK is left out after done',
      "if (claim.status !== 'claimed') {\n    await step('ROLLBACK');",
      "if (claim.status !== 'claimed') {",
    ],
    ['the lock is not taken', 'if (!locked) {', 'if (false) {'],
    [
      'a completion of nothing is committed',
      'if (completion.rowCount !== 1 || completion.rows.length !== 1) throw notCommitted();',
      '',
    ],
    [
      'the command tag of COMMIT is not checked',
      "if (commit.command !== 'COMMIT') throw notCommitted();",
      '',
    ],
    [
      'the callback can send more after its time',
      'scope.close();\n    throw new Overdue',
      'throw new Overdue',
    ],
    ['the commit does not wait for queries that the callback did not await', 'await scope.settle();', ''],
    [
      'the slot of a connection that did not come is kept',
      'checkedOut.catch(() => slots.give());',
      'checkedOut.catch(() => {});',
    ],
  ]),
  ...mutantsOf('src/stores/postgres/transact.ts', both, [
    ['a failed ROLLBACK counts as done', 'return errorOf(lost);', 'return undefined;'],
    [
      'another command tag than ROLLBACK counts as done',
      "return command === 'ROLLBACK' ? undefined : notCommitted();",
      'return undefined;',
    ],
    [
      'ROLLBACK is sent to a connection that does not answer',
      'if (error instanceof TimeLimitError) return error;',
      '',
    ],
    [
      'the subject of an overdue callback is freed at once',
      'if (error instanceof Overdue) void hold(step, error, holdMs).then(giveUp);\n    else giveUp',
      'giveUp',
    ],
    ['the role is not set back', 'if (scope.mayHaveChangedRole) await step(SET_ROLE, [role]);', ''],
  ]),
  ...mutantsOf('src/stores/postgres/sql.ts', both, [
    ['SET replaces SET LOCAL', 'SET LOCAL synchronous_commit = on', 'SET synchronous_commit = on'],
    ['timeouts are set for the session', '0))::text, true) END`', '0))::text, false) END`'],
    [
      'synchronous_commit of the completion is set for the session',
      "set_config('synchronous_commit', 'on', true)",
      "set_config('synchronous_commit', 'on', false)",
    ],
    [
      'synchronous_commit is left as the callback set it',
      ", set_config('synchronous_commit', 'on', true)`",
      '`',
    ],
    [
      'a role is set for the session',
      `"SELECT set_config('role', $1, true)"`,
      `"SELECT set_config('role', $1, false)"`,
      'it is the role that the connection had before the transaction, so nothing is left behind.',
    ],
    [
      'a timeout is raised',
      'LEAST(${Math.min(ms, MAX_SETTING_MS)}, NULLIF',
      'GREATEST(${Math.min(ms, MAX_SETTING_MS)}, NULLIF',
    ],
    [
      'FOR UPDATE SKIP LOCKED is removed',
      'ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED',
      'ORDER BY expires_at LIMIT $1',
    ],
    [
      'SKIP LOCKED is removed',
      'ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED',
      'ORDER BY expires_at LIMIT $1 FOR UPDATE',
    ],
    [
      'the time is the start of the transaction',
      'floor(extract(epoch FROM clock_timestamp())',
      'floor(extract(epoch FROM now())',
    ],
    [
      'the completion of another transaction counts',
      ' AND txid_current() = $5::bigint',
      ' AND $5::bigint IS NOT NULL',
    ],
    ['the lock is the same for all tables', 'hashtextextended($1, oid::bigint)', 'hashtextextended($1, 0)'],
    [
      'the lock waits',
      'pg_try_advisory_xact_lock(hashtextextended($1, oid::bigint)) AS locked',
      'pg_advisory_xact_lock(hashtextextended($1, oid::bigint)) IS NOT NULL AS locked',
    ],
  ]),
  ...mutantsOf('src/stores/postgres/connection.ts', both, [
    ['a connection has no listener for its loss', "client.on('error', ignore);", ''],
    [
      'a broken connection loses its listener',
      "if (broken === undefined) client.removeListener('error', ignore);",
      "client.removeListener('error', ignore);",
    ],
    [
      'listeners stay on connections',
      "if (broken === undefined) client.removeListener('error', ignore);",
      '',
    ],
    ['a connection that comes late is kept', '(late) => giveBack(late),', '() => {},'],
    [
      'a connection that does not answer is used again',
      '(error: unknown) => giveBack(client, errorOf(error)),',
      '() => giveBack(client),',
    ],
    [
      'a new connection is closed with its step',
      'withTimeLimit(timeoutMs, running',
      'withTimeLimit(remaining(end), running',
    ],
  ]),
  ...mutantsOf('src/stores/postgres/slots.ts', slots, [
    ['a slot never becomes free', 'this.#taken -= 1;', ''],
    ['a request that has given up gets a slot', 'this.#waiting.delete(next);\n        reject(', 'reject('],
    [
      'more slots are given than there are',
      'if (this.#taken < this.#most) {',
      'if (this.#taken <= this.#most) {',
    ],
  ]),
];
