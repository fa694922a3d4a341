/**
 * One order, one journey: `open` never shows two QR codes for one order, whatever is called twice or crashes.
 *
 * @module pix-automatic-sdk/journal
 */

export type { SqlDialect, SqlQuery } from '../stores/sql';
export { JourneyBusyError, JourneyConflictError } from './errors';
export {
  type Journey,
  type JourneyAttempt,
  type JourneyClient,
  JourneyJournal,
  type JourneyJournalOptions,
  type JourneyRequest,
} from './journey-journal';
export {
  type JourneyRecord,
  type JourneyRecords,
  type JourneyState,
  MemoryJourneyRecords,
  type OrderReading,
} from './journey-records';
export { SqlJourneyRecords, type SqlJourneyRecordsOptions } from './sql-journey-records';
