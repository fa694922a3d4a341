import type { QrCode } from '../service/operations/create-recurring-checkout';
import { isOpen, type JourneyRecord } from './journey-records';

/** What one `open` knows besides the records. */
export interface Opening {
  /** The token of the attempt that this `open` begins. */
  readonly token: string;
  /** The hash of each field of its request that is about money. */
  readonly money: Readonly<Record<string, string>>;
  /** The attempt that this `open` has sent, and what came of it. */
  readonly sent?: { readonly attempt: number; readonly result: CallResult } | undefined;
  /** Whether the service can be asked what became of this attempt. */
  canLookUp(attempt: JourneyRecord): boolean;
}

/** What came of a call: a journey with its QR code, or an error. */
export type CallResult =
  | { readonly uuid: string; readonly qrCode: QrCode }
  | { readonly error: unknown; readonly refused: boolean; readonly uuid?: string | undefined };

/** What `open` does next. After each step but the first three it reads the records again. */
export type Step =
  | { readonly do: 'show'; readonly attempt: JourneyRecord }
  | { readonly do: 'throw'; readonly error: unknown }
  | { readonly do: 'conflict'; readonly paths: readonly string[]; readonly attempt: JourneyRecord }
  | { readonly do: 'send'; readonly attempt: JourneyRecord }
  | { readonly do: 'wait' }
  | { readonly do: 'change'; readonly attempt: JourneyRecord; readonly to: Change }
  | { readonly do: 'look-up'; readonly attempt: JourneyRecord }
  | { readonly do: 'begin'; readonly attempt: number };

/** The fields of an attempt that a step changes. */
export type Change = Pick<JourneyRecord, 'state' | 'uuid' | 'qrCode'>;

/** How far a clock may have been set back, or the clocks of a cluster differ, before a lease counts as over. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Decides from the attempts of an order, the time, and what this `open` knows. */
export function nextStep(attempts: readonly JourneyRecord[], now: number, opening: Opening): Step {
  const { sent } = opening;
  const open = attempts.find(isOpen);

  if (sent !== undefined) {
    const attempt = attempts.find((each) => each.attempt === sent.attempt);
    const to = attempt && afterCall(attempt, sent.result, open);
    if (attempt !== undefined && to !== undefined) return { do: 'change', attempt, to };
    if ('error' in sent.result) return { do: 'throw', error: sent.result.error };
  }

  if (open !== undefined) {
    if (open.state === 'sending' && isOver(open, now)) {
      return { do: 'change', attempt: open, to: { ...open, state: 'lost' } };
    }
    const paths = differences(open.money, opening.money);
    if (paths.length > 0) return { do: 'conflict', paths, attempt: open };
    if (open.state === 'created') return { do: 'show', attempt: open };
    return open.token === opening.token ? { do: 'send', attempt: open } : { do: 'wait' };
  }

  const surplus = attempts.find((each) => each.state === 'surplus' && mayBeShown(each, opening));
  if (surplus !== undefined) return { do: 'change', attempt: surplus, to: { ...surplus, state: 'created' } };

  const lost = attempts.find((each) => each.state === 'lost' && opening.canLookUp(each));
  if (lost !== undefined) return { do: 'look-up', attempt: lost };

  return { do: 'begin', attempt: Math.max(0, ...attempts.map((each) => each.attempt)) + 1 };
}

/** What its own call's result makes of an attempt; `undefined` if it changes nothing. */
function afterCall(
  { state, uuid }: JourneyRecord,
  result: CallResult,
  open: JourneyRecord | undefined,
): Change | undefined {
  if (state !== 'sending' && state !== 'lost') return undefined;
  if ('qrCode' in result) {
    const isTheOrders = state === 'sending' || open === undefined;
    return { state: isTheOrders ? 'created' : 'surplus', uuid: result.uuid, qrCode: result.qrCode };
  }
  if (state === 'sending') return { state: result.refused ? 'refused' : 'lost', uuid: result.uuid };
  // Another process gave the attempt up before its call ended. A uuid is still worth keeping, for `find`.
  return uuid === undefined && result.uuid !== undefined ? { state, uuid: result.uuid } : undefined;
}

/** What the service's answer to `lookUp` makes of a lost attempt. */
export function afterLookUp(
  attempt: JourneyRecord,
  found: { readonly uuid: string; readonly qrCode?: QrCode | undefined },
  opening: Opening,
): Change {
  if (found.qrCode === undefined) return { state: 'lost', uuid: found.uuid };
  const state = mayBeShown({ ...attempt, qrCode: found.qrCode }, opening) ? 'created' : 'surplus';
  return { state, uuid: found.uuid, qrCode: found.qrCode };
}

/** A journey over other money than was asked for is not shown. */
function mayBeShown({ qrCode, money }: JourneyRecord, opening: Opening): boolean {
  return qrCode !== undefined && differences(money, opening.money).length === 0;
}

function isOver({ leaseUntil, startedAt }: JourneyRecord, now: number): boolean {
  return now >= leaseUntil || now < startedAt - CLOCK_TOLERANCE_MS;
}

/** Another release of the library may hash other fields: a field that only one side has is no difference. */
function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(after).filter((path) => path in before && before[path] !== after[path]);
}
