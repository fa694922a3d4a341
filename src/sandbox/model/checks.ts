import { readDay } from '../../pix/pix-calendar';
import { type SandboxText, text } from '../text';
import { dateTime, SandboxError, type ServiceState, type TransactionRecord } from './records';

// What several moves check before they change anything.

/** @throws `SandboxError` for an id that the sandbox does not know */
export function known<Value>(value: Value | undefined, key: SandboxText): Value {
  if (value !== undefined) return value;
  throw new SandboxError('unknown', ...text(key));
}

/** A journey, or the sale of a charge. @throws `SandboxError` for another id */
export function findTransaction({ transactions }: ServiceState, uuid: string): TransactionRecord {
  return known(transactions.get(uuid), 'refused.unknownTransaction');
}

/** @throws `SandboxError` for the sale of a charge too: its journey is what is paid, charged and ended */
export function findJourney(state: ServiceState, uuid: string): TransactionRecord {
  const transaction = findTransaction(state, uuid);
  return known(transaction.chargeOf === undefined ? transaction : undefined, 'refused.unknownTransaction');
}

export function assertPositive(amount: number): void {
  if (Number.isFinite(amount) && amount > 0) return;
  throw new SandboxError('invalid', ...text('refused.amount'));
}

/** More levels than any documented notification has. `JSON.stringify` fails on a payload with thousands of them. */
const MAX_LEVELS = 100;

export function assertPayload(payload: object): void {
  if (!hasLevels(payload)) throw new SandboxError('invalid', ...text('refused.notObject'));
  let level: object[] = [payload];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) {
      throw new SandboxError('invalid', ...text('refused.nested', { levels: MAX_LEVELS }));
    }
    level = level.flatMap((value) => Object.values(value).filter(hasLevels));
  }
}

/** Whether a value adds a level: an object or a list. */
function hasLevels(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function today(state: ServiceState): number {
  return readDay(dateTime(state, state.now()).slice(0, 10)) ?? 0;
}
