/** Why a transaction is rolled back whose callback has left out a write, as far as can be seen from outside. */
export class NothingWritten extends Error {}
