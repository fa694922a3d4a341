import { amountOf, type Booked, type Payload, right, subjectOf } from '../merchant';

/** What a shop has written down. It acts at once, so that nothing comes between the look and the record. */
export class Books {
  readonly rows: Booked[] = [];
  readonly #done = new Set<string>();
  #later: (() => void)[] = [];

  kindOf(payload: Payload): string {
    return right.kindOf(new URL('http://shop.invalid'), payload);
  }

  keyOf(payload: Payload): string {
    return right.keyOf(this.kindOf(payload), payload);
  }

  /** Writes down without a look at what is there. */
  add(payload: Payload, kind = this.kindOf(payload), amount = amountOf(payload)): void {
    const booked = right.bookedAs(kind, payload);
    if (booked !== undefined) this.rows.push({ kind: booked, subject: subjectOf(payload), amount });
  }

  /** Answers `--effects`. Only then does it do what waits for that. */
  read(): Booked[] {
    const rows = [...this.rows];
    for (const act of this.#later.splice(0)) act();
    return rows;
  }

  /** Acts after the rows were read once: late on any machine, however slow. */
  later(act: () => void): void {
    this.#later.push(act);
  }

  book(payload: Payload, key = this.keyOf(payload), kind = this.kindOf(payload)): void {
    if (this.#done.has(key)) return;
    this.#done.add(key);
    this.add(payload, kind);
  }
}
