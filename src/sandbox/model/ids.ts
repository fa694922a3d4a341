/** Where the model takes its identities from. */
export interface IdSource {
  /** The next numeric id. */
  number(): number;
  /** The next UUID. */
  uuid(): string;
}

/** Random UUIDs, and ids that count up. */
export function randomIds(): IdSource {
  let last = 1_000_000;
  return {
    number: () => ++last,
    uuid: () => crypto.randomUUID(),
  };
}

/** The same identities each time, for tests that compare bytes. */
export function sequentialIds(): IdSource {
  let lastNumber = 1_000_000;
  let lastUuid = 0;
  return {
    number: () => ++lastNumber,
    uuid: () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`,
  };
}
