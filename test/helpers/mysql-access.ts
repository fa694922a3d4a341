import type { Pool, PoolConnection } from 'mysql2/promise';
import type { TransactionAccess } from '../../src/stores';

/** As a merchant without an ORM writes it, over `mysql2` alone. */
export function mysqlAccess(pool: Pool): TransactionAccess<PoolConnection> {
  return {
    async transaction(work) {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        await work(connection);
        await connection.commit();
      } catch (error) {
        // Ends the transaction too, and a connection that is broken is not used again.
        connection.destroy();
        throw error;
      }
      connection.release();
    },
    query: async (connection, text, values) =>
      (await (connection ?? pool).query(text, values))[0] as unknown[],
  };
}
