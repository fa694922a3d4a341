import { actingMutants } from './acting';
import { handlerMutants } from './handler';
import { memoryMutants } from './memory';
import { postgresMutants } from './postgres';
import { postgresStatementMutants } from './postgres-statements';
import { redisMutants } from './redis';
import { sqliteMutants } from './sqlite';

/**
 * The faults of `npm run test:mutation -- statements`: in SQL and Lua, which the mutation runner cannot change, and
 * elsewhere.
 */
export const mutants = [
  ...postgresStatementMutants,
  ...postgresMutants,
  ...redisMutants,
  ...sqliteMutants,
  ...memoryMutants,
  ...handlerMutants,
  ...actingMutants,
];
