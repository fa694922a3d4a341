/** What a driver or an ORM has thrown: what it wraps, and what that means. */

/** What drivers throw for one reason, by its codes and its messages, and what to tell of it. */
export type Cause = readonly [codes: RegExp, messages: RegExp, says: string];

/** What drivers throw when no connection is free. */
export const NO_CONNECTION = [
  /\b(53300|ER_CON_COUNT_ERROR|1040|ER_TOO_MANY_USER_CONNECTIONS|1203|P2024|SequelizeConnectionAcquireTimeoutError)\b/,
  /timeout exceeded when trying to connect|no connections? (is |are )?available|queue limit reached|acquiring a connection|too many (clients|connections)|free slot|slot .*free/i,
] as const;

/** What drivers and ORMs throw once somebody has closed them. */
export const CLOSED: Cause = [
  /\bClient(?:Closed|Offline)Error\b/,
  /after calling end on the pool|pool is closed|client was closed|already been destroyed|connection manager was closed|driver not connected|connection is not established|database (?:connection )?is not open/i,
  'Its client is closed: something has called `end`, `destroy`, `quit` or `close` on it, or has never opened it. Make one ' +
    'client for the whole process, and close it last.',
];

/** Of a cause that has no code, or no message: it is in no text. */
const NONE = /^(?!)/;

/** What Knex throws without a pool. */
export const NO_POOL: Cause = [
  NONE,
  /unable to acquire a connection/i,
  'Knex has no connections: it was destroyed, or was made without `connection`. Is the variable set that has its ' +
    'address, such as DATABASE_URL or MYSQL_URL?',
];

/** What drivers throw when another server answers. */
export const OTHER_SERVER: Cause = [
  NONE,
  /unexpected .* message from backend|unexpected packet|malformed .*packet/i,
  'What listens at its address speaks another language: check the port, and take the driver and the store of your database.',
];

export const UNREACHABLE: Cause = [
  /\b(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|PROTOCOL_CONNECTION_LOST|57P0[123]|08\w{3}|P1001|P1002|P1017|MaxRetriesPerRequestError|SocketClosedUnexpectedlyError|ConnectionTimeoutError)\b/,
  /connection (is closed|terminated|ended)|closed the connection|unable to open database|^(LOADING|CLUSTERDOWN|MASTERDOWN)\b/i,
  'Its database cannot be reached. Check that it is running, its address, and the network between.',
];

const NOT_ADMITTED: Cause = [
  /\b(28P01|28000|ER_ACCESS_DENIED_ERROR|1045|P1000)\b/,
  /client password must be a string/,
  'The database refused the user or the password of the connection. Is the variable set that has its address? ' +
    'Without an address, drivers take this machine, and your own user without a password.',
];

/** What the first cause tells that an error has, itself or in what it wraps; `undefined` if it has none of them. */
export function causeOf(error: unknown, causes: readonly Cause[]): string | undefined {
  return causes.find(([codes, messages]) => sayOneOf(error, codes, messages))?.[2];
}

/**
 * Why no statement can ever be sent, however often it is tried; `undefined` if that is not so.
 *
 * @param dialect - the database whose SQL was to be sent
 */
export function neverAnswers(error: unknown, dialect: string): string | undefined {
  const [codes, messages] = OTHER_SERVER;
  return causeOf(error, [
    NO_POOL,
    [
      codes,
      messages,
      `What listens at its address is no ${dialect}: check the port, and take the driver and the store of your database.`,
    ],
  ]);
}

/**
 * Why a database could not even be asked; `undefined` if it was.
 *
 * @param dialect - the database whose SQL was sent
 * @param schema - the option of the store
 */
export function cannotAsk(error: unknown, dialect: string, schema: string | undefined): string | undefined {
  return (
    neverAnswers(error, dialect) ??
    causeOf(error, [CLOSED, UNREACHABLE, NOT_ADMITTED]) ??
    noSchema(error, schema) ??
    causeOf(error, [
      [
        /\b(3D000|ER_BAD_DB_ERROR|1049|ER_NO_DB_ERROR|1046|P1003)\b/,
        NONE,
        'The address of the connection names no database, or one that does not exist: look at its end, after the last `/`.',
      ],
      [/\b3F000\b/, NONE, 'Its schema does not exist: create it, or leave the option `schema` out.'],
      [
        /\b(42601|ER_PARSE_ERROR|1064)\b/,
        NONE,
        `The database does not understand ${dialect}'s SQL: take the store, or the \`dialect\`, of the database that you use.`,
      ],
    ])
  );
}

/** What MySQL says of the option's database, with the same code as of the connection's own. */
function noSchema(error: unknown, schema: string | undefined): string | undefined {
  const isMissing = errorsIn(error).some(({ message }) =>
    textOf(message).includes(`Unknown database '${schema}'`),
  );
  if (!isMissing) return undefined;
  return 'The database that the option `schema` names does not exist: create it, or leave the option out.';
}

/** Whether it says that no connection was free. */
export function saysNoConnection(error: unknown): boolean {
  return sayOneOf(error, ...NO_CONNECTION);
}

/** Whether it says that a table does not exist. */
export function saysNoTable(error: unknown): boolean {
  return sayOneOf(error, /\b(42P01|ER_NO_SUCH_TABLE|1146)\b/, /no such table: /);
}

/** Whether it says that a column of the table does not exist. */
export function saysNoColumn(error: unknown): boolean {
  return sayOneOf(error, /\b(42703|ER_BAD_FIELD_ERROR|1054)\b/, /no such column|has no column named/);
}

function sayOneOf(error: unknown, codes: RegExp, messages: RegExp): boolean {
  return errorsIn(error).some((each) => codes.test(codesOf(each)) || messages.test(textOf(each['message'])));
}

/**
 * Whether it says that the database has rolled a transaction back because others were in its way, a serialization
 * failure or a deadlock: nothing of it stands, and it may succeed at once.
 */
export function mayRetry(error: unknown): boolean {
  return errorsIn(error).some((each) => {
    const codes = codesOf(each);
    const message = textOf(each['message']);
    return (
      /\b(40001|40P01|ER_LOCK_DEADLOCK|1213|P2034)\b/.test(codes) ||
      // Prisma's, of a statement that it did not write, and of its adapters.
      (/\bP2010\b/.test(codes) && /\b(40001|40P01)\b/.test(message)) ||
      message === 'TransactionWriteConflict'
    );
  });
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The error, what it wraps, and all that wraps in turn, twenty in all: ORMs wrap the driver's error under names of their
 * own, and an error may wrap itself.
 */
function errorsIn(error: unknown, found: Fields[] = []): Fields[] {
  if (typeof error !== 'object' || error === null || found.length >= 20) return found;
  const fields = error as Fields;
  if (found.includes(fields)) return found;
  found.push(fields);
  const { cause, errors, parent, original, driverError, meta } = fields;
  for (const each of [cause, parent, original, driverError, meta, ...(Array.isArray(errors) ? errors : [])]) {
    errorsIn(each, found);
  }
  return found;
}

function codesOf({ name, code, errno, sqlState }: Fields): string {
  return [name, code, errno, sqlState].map(textOf).join(' ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
