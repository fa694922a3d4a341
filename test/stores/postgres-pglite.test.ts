import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe } from 'vitest';
import { ALL_FAULTS, testStoreContract } from './contract';
import { harnessOf, testOnDatabase } from './postgres-database';

// In a file of its own: to start, it blocks the event loop for seconds, and others wait for answers meanwhile.
describe('PGlite', () => {
  const pglite = new PGlite();
  // It starts in seconds, and on a machine at its limit in more than a hook may take.
  beforeAll(() => pglite.waitReady, 120_000);
  afterAll(() => pglite.close());

  testStoreContract('PostgresStore over PGlite', ALL_FAULTS, () =>
    harnessOf(pglite, undefined, randomUUID().slice(0, 8)),
  );
  testOnDatabase('over PGlite', pglite, undefined);
});
