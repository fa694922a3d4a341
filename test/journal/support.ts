import { ApiError, ConnectionError } from '../../src/errors';
import {
  JourneyJournal,
  type JourneyJournalOptions,
  type JourneyRecord,
  type JourneyRequest,
  type JourneyState,
  MemoryJourneyRecords,
} from '../../src/journal';
import type { RecurringCheckoutRequest } from '../../src/service/operations/create-recurring-checkout';

export const request = {
  currency: 'BRL',
  amount: 59.7,
  shopper: { name: 'Maria Silva' },
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
} satisfies JourneyRequest;

/** What a call of the client double comes to; `uuid` and QR code follow from the reference if nothing is said. */
export type Answer = Error | { readonly uuid: string } | undefined;

/** The client of a journal, which does with the n-th call what the n-th answer says. */
export class FakeClient {
  readonly calls: RecurringCheckoutRequest[] = [];
  readonly options: { totalTimeoutMs: number }[] = [];
  /** How many journeys the service has, by reference. */
  readonly created = new Map<string, number>();

  constructor(readonly answers: (Answer | PromiseLike<Answer>)[] = []) {}

  async createRecurringCheckout(sent: RecurringCheckoutRequest, options: { totalTimeoutMs: number }) {
    const index = this.calls.push(sent) - 1;
    this.options.push(options);
    const { referenceCode } = sent;
    const answer = await this.answers[index];
    if (answer instanceof Error) throw answer;
    this.created.set(referenceCode, (this.created.get(referenceCode) ?? 0) + 1);
    const uuid = answer?.uuid ?? `uuid-of-${referenceCode}`;
    return { response: { uuid, instructions: { qrCode: { plain: `qr-of-${referenceCode}` } } } };
  }
}

const call = { operation: 'createRecurringCheckout', attempts: 1 } as const;
export const errors = {
  refused: () => new ApiError('422', { ...call, outcome: 'refused', httpStatus: 422, body: {} }),
  notSent: () => new ConnectionError('refused', { ...call, outcome: 'not-sent' }),
  unknown: () => new ApiError('504', { ...call, outcome: 'unknown', httpStatus: 504, body: {} }),
  unknownWithUuid: () => new ConnectionError('reset', { ...call, outcome: 'unknown', uuid: 'seen-uuid' }),
};

/** A promise, and what settles it. */
export function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A journal over memory, whose clock stands where the test puts it. */
export function setUp(
  answers: (Answer | PromiseLike<Answer>)[] = [],
  options: Partial<JourneyJournalOptions> = {},
) {
  const clock = { now: 1_000_000 };
  const client = new FakeClient(answers);
  const records = new MemoryJourneyRecords({ clock: () => clock.now });
  const journal = new JourneyJournal({ client, records, waitMs: 60, ...options });
  const states = async (orderKey = 'order-1') =>
    (await records.read(orderKey)).attempts.map(({ referenceCode, state }) => `${referenceCode} ${state}`);
  return { clock, client, records, journal, states };
}

/** A record in a state, as a test of the pure functions needs it. */
export function record(
  attempt: number,
  state: JourneyState,
  fields: Partial<JourneyRecord> = {},
): JourneyRecord {
  return {
    orderKey: 'order-1',
    attempt,
    referenceCode: attempt === 1 ? 'order-1' : `order-1-${attempt}`,
    state,
    token: `token-${attempt}`,
    money: { amount: 'a' },
    startedAt: 1_000,
    leaseUntil: 2_000,
    changedAt: 1_000,
    ...fields,
  };
}
