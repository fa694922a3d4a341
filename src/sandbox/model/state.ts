import type { Credentials } from '../../service/credentials';
import type { Inventions } from '../inventions';
import type {
  JourneyEvent,
  SandboxNotification,
  SandboxReversal,
  SandboxScheduledPayment,
  TransactionRecord,
} from './records';

/** The state of all operations. Lookups go by id, so that the ten-thousandth journey is as fast as the first. */
export interface ServiceState {
  readonly credentials: Credentials;
  /** Where the images of QR codes are served. */
  readonly baseUrl: string;
  readonly inventions: Inventions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ids: IdSource;
  /** Called with each notification that a move sends. */
  readonly notify: (notification: SandboxNotification) => void;
  readonly transactions: Map<string, TransactionRecord>;
  readonly referenceCodes: Set<string>;
  readonly scheduledPayments: Map<string, SandboxScheduledPayment>;
  readonly reversals: Map<string, SandboxReversal>;
  /** Grows with everything that happens, so that the page knows when to ask again. */
  revision: number;
}

/** Adds to the story of a journey. */
export function happened(
  state: ServiceState,
  { events }: TransactionRecord,
  what: JourneyEvent['what'],
  details: Omit<JourneyEvent, 'at' | 'what'> = {},
): void {
  events.push({ at: state.now(), what, ...details });
  state.revision++;
}

const LAST_PRINTABLE = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A date-time as the service writes it: `yyyy-MM-dd HH:mm:ss`, no zone (document section 2). */
export function dateTime({ inventions }: ServiceState, time: number): string {
  // A `maxAge` of 1e12 minutes is a valid number, but it ends later than a `Date` can express.
  const local = Math.min(time + inventions.utcOffsetMinutes * 60_000, LAST_PRINTABLE);
  return new Date(local).toISOString().slice(0, 19).replace('T', ' ');
}

/** Where the model takes its ids from. */
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

/** The same ids and UUIDs each time, for tests that compare bytes. */
export function sequentialIds(): IdSource {
  let lastNumber = 1_000_000;
  let lastUuid = 0;
  return {
    number: () => ++lastNumber,
    uuid: () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`,
  };
}
