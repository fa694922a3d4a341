import mysql from 'mysql2/promise';
import { reportMissing } from './servers';

/** How to reach the tests' MySQL or MariaDB: `MYSQL_URL`, or 127.0.0.1:3306 as root without a password. */
export const mysqlUrl = process.env['MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test';

/** Whether a MySQL or MariaDB answers. Reports where none does, and fails where one is required. */
export async function findMysql(): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: mysqlUrl, connectTimeout: 2000 });
    await connection.query('SELECT 1');
    await connection.end();
    return true;
  } catch {
    reportMissing('MySQL or MariaDB', 'MYSQL_URL');
    return false;
  }
}
