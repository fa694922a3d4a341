import type { Credentials } from '../../service/credentials';
import type { Inventions } from '../inventions';
import { type Clock, formatDateTime } from './clock';
import type { IdSource } from './ids';
import type {
  SandboxNotification,
  SandboxPayout,
  SandboxReversal,
  SandboxScheduledPayment,
  TransactionRecord,
} from './records';

/** What all operations work on. Everything is found by its id, so that the ten-thousandth journey is as fast as the first. */
export interface ServiceState {
  readonly credentials: Credentials;
  /** Where the images of QR codes are served. */
  readonly baseUrl: string;
  readonly inventions: Inventions;
  readonly now: Clock;
  readonly ids: IdSource;
  /** Called with each notification that a move sends. */
  readonly notify: (notification: SandboxNotification) => void;
  readonly transactions: Map<string, TransactionRecord>;
  readonly referenceCodes: Set<string>;
  readonly scheduledPayments: Map<string, SandboxScheduledPayment>;
  readonly reversals: Map<string, SandboxReversal>;
  readonly payouts: Map<string, SandboxPayout>;
}

/** A date-time as the service writes it. */
export function dateTime({ inventions }: ServiceState, time: number): string {
  return formatDateTime(time, inventions.utcOffsetMinutes);
}
