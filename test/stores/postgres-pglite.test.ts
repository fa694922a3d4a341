import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe } from 'vitest';
import { ALL_FAULTS, testStoreContract } from './contract';
import { harnessOf, testOnDatabase } from './postgres-database';

// In a file of its own, because its start blocks the event loop for seconds while other tests wait for answers.
describe('PGlite', () => {
  const pglite = new PGlite();
  // It starts in seconds; on an overloaded machine, the start can outlast the usual limit of a hook.
  beforeAll(() => pglite.waitReady, 120_000);
  afterAll(() => pglite.close());

  testStoreContract('PostgresStore over PGlite', ALL_FAULTS, () =>
    harnessOf(pglite, 'public', randomUUID().slice(0, 8)),
  );
  testOnDatabase('PGlite', pglite);
});
