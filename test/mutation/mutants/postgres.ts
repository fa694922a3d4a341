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
    ['ROLLBACK left out after busy', "if (!locked) {\n    await step('ROLLBACK');", 'if (!locked) {'],
    [
      'ROLLBACK left out after done',
      "if (claim.status !== 'claimed') {\n    await step('ROLLBACK');",
      "if (claim.status !== 'claimed') {",
    ],
    ['the lock is not asked for', 'if (!locked) {', 'if (false) {'],
    [
      'a completion of nothing is committed',
      'if (completion.rowCount !== 1 || completion.rows.length !== 1) throw notCommitted();',
      '',
    ],
    ['the tag of COMMIT is not looked at', "if (commit.command !== 'COMMIT') throw notCommitted();", ''],
    [
      'the callback can send more after its time',
      'scope.close();\n    throw new Overdue',
      'throw new Overdue',
    ],
    ['queries that are not awaited are not waited for', 'await scope.settle();', ''],
    [
      'the slot of a connection that did not come is kept',
      'checkedOut.catch(() => slots.give());',
      'checkedOut.catch(() => {});',
    ],
  ]),
  ...mutantsOf('src/stores/postgres/transact.ts', both, [
    ['a failed ROLLBACK is taken for fine', 'return errorOf(lost);', 'return undefined;'],
    [
      'another tag than ROLLBACK is taken for fine',
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
    ['the role is not given back', 'if (scope.mayHaveChangedRole) await step(SET_ROLE, [role]);', ''],
  ]),
  ...mutantsOf('src/stores/postgres/sql.ts', both, [
    ['SET for SET LOCAL', 'SET LOCAL synchronous_commit = on', 'SET synchronous_commit = on'],
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
      'FOR UPDATE SKIP LOCKED removed',
      'ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED',
      'ORDER BY expires_at LIMIT $1',
    ],
    [
      'SKIP LOCKED removed',
      'ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED',
      'ORDER BY expires_at LIMIT $1 FOR UPDATE',
    ],
    [
      'the time is that at which the transaction began',
      'floor(extract(epoch FROM clock_timestamp())',
      'floor(extract(epoch FROM now())',
    ],
    [
      'the completion of another transaction counts',
      ' AND txid_current() = $5::bigint',
      ' AND $5::bigint IS NOT NULL',
    ],
    [
      'the lock is of the subject in any table',
      'hashtextextended($1, oid::bigint)',
      'hashtextextended($1, 0)',
    ],
    [
      'the lock waits',
      'pg_try_advisory_xact_lock(hashtextextended($1, oid::bigint)) AS locked',
      'pg_advisory_xact_lock(hashtextextended($1, oid::bigint)) IS NOT NULL AS locked',
    ],
  ]),
  ...mutantsOf('src/stores/postgres/connection.ts', both, [
    ['no listener for the loss of a connection', "client.on('error', ignore);", ''],
    [
      'a broken connection loses its listener',
      "if (broken === undefined) client.removeListener('error', ignore);",
      "client.removeListener('error', ignore);",
    ],
    [
      'listeners are left on connections',
      "if (broken === undefined) client.removeListener('error', ignore);",
      '',
    ],
    ['a connection that comes late is kept', '(late) => giveBack(late),', '() => {},'],
    [
      'a silent connection is handed out again',
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
    ['a slot is never free again', 'this.#taken -= 1;', ''],
    ['who has given up gets a slot', 'this.#waiting.delete(next);\n        reject(', 'reject('],
    ['more slots than there are', 'if (this.#taken < this.#most) {', 'if (this.#taken <= this.#most) {'],
  ]),
];
