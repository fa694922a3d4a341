import { isOpen, type JourneyRecord, type JourneyRecords, type OrderReading } from './journey-records';

/** Attempts in this process's memory, for tests: a restart forgets them, and another process does not see them. */
export class MemoryJourneyRecords implements JourneyRecords {
  readonly #records: JourneyRecord[] = [];
  readonly #clock: () => number;

  /**
   * Begins without any attempt.
   *
   * @param options - `clock`: milliseconds since 1970, for tests
   */
  constructor({ clock = Date.now }: { readonly clock?: (() => number) | undefined } = {}) {
    this.#clock = clock;
  }

  async read(orderKey: string): Promise<OrderReading> {
    return { now: this.#clock(), attempts: this.#of(orderKey) };
  }

  async insert(record: JourneyRecord) {
    const same = this.#of(record.orderKey);
    const isTaken =
      same.some((each) => each.attempt === record.attempt || isOpen(each)) ||
      this.#records.some((each) => each.referenceCode === record.referenceCode);
    if (!isTaken) this.#records.push(record);
  }

  async update(record: JourneyRecord, token: string) {
    const { orderKey, attempt } = record;
    const index = this.#records.findIndex((each) => each.orderKey === orderKey && each.attempt === attempt);
    if (this.#records[index]?.token !== token) return;
    if (isOpen(record) && this.#of(orderKey).some((each) => each.attempt !== attempt && isOpen(each))) return;
    this.#records[index] = record;
  }

  async find(by: { readonly uuid: string } | { readonly referenceCode: string }) {
    return this.#records.findLast((each) =>
      'uuid' in by ? each.uuid === by.uuid : each.referenceCode === by.referenceCode,
    );
  }

  #of(orderKey: string): JourneyRecord[] {
    return this.#records.filter((each) => each.orderKey === orderKey);
  }
}
