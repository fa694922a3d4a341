import mysql, { type QueryResult } from 'mysql2/promise';
import pg from 'pg';
import { PaymentsClient } from '../../../src';
import { JourneyJournal, SqlJourneyRecords, type SqlQuery } from '../../../src/journal';

/** What one process of a shop does: opens the journey of an order, some times at once, and dies where it is told to. */
export interface ShopConfig {
  readonly dialect: 'postgres' | 'mysql';
  readonly database: string;
  readonly table: string;
  readonly baseUrl: string;
  readonly orderKey: string;
  readonly amount: number;
  readonly calls: number;
  /** The process is killed before or after the statement that begins with this word. */
  readonly kill?: { readonly when: 'before' | 'after'; readonly statement: 'INSERT' | 'UPDATE' } | undefined;
}

const config: ShopConfig = JSON.parse(process.argv[2] ?? '');
const send = connect();

function connect(): SqlQuery {
  const { dialect, database } = config;
  if (dialect === 'postgres') {
    const pool = new pg.Pool({ connectionString: database });
    return (text, values) => pool.query(text, values);
  }
  const pool = mysql.createPool(database);
  return (text, values) => pool.query<QueryResult & object[]>(text, values);
}

const query: SqlQuery = async (text, values) => {
  const { when, statement } = config.kill ?? {};
  const isPlace = statement !== undefined && text.startsWith(statement);
  if (isPlace && when === 'before') process.kill(process.pid, 'SIGKILL');
  const result = await send(text, values);
  if (isPlace && when === 'after') process.kill(process.pid, 'SIGKILL');
  return result;
};

const journal = new JourneyJournal({
  client: new PaymentsClient({ baseUrl: config.baseUrl, apiKey: `pid-${process.pid}`, apiToken: 'token' }),
  records: new SqlJourneyRecords(query, { dialect: config.dialect, table: config.table }),
});
await Promise.all(
  Array.from({ length: config.calls }, async () => {
    try {
      const { uuid, qrCode } = await journal.open(config.orderKey, {
        currency: 'BRL',
        amount: config.amount,
        shopper: {},
        recurrence: { immediatePayment: true },
      });
      if (qrCode.plain !== `qr-${uuid}`) throw new Error('the QR code of another journey');
      console.log(`shown ${uuid}`);
    } catch (error) {
      console.log(`failed ${(error as { code?: string }).code ?? String(error)}`);
    }
  }),
);
process.exit(0);
