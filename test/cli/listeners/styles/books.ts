import { type Payload, right } from '../merchant';

/** What a shop has written down. It acts at once, so that nothing comes between the look and the record. */
export class Books {
  readonly counts: Record<string, number> = { payment: 0, saleStatus: 0, reversal: 0, refund: 0, payout: 0 };
  readonly #done = new Set<string>();
  #later: (() => void)[] = [];

  kindOf(payload: Payload): string {
    return right.kindOf(new URL('http://shop.invalid'), payload);
  }

  keyOf(payload: Payload): string {
    return right.keyOf(this.kindOf(payload), payload);
  }

  count(kind: string): void {
    if (kind !== 'unrecognized') this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** Answers `--effects`. Only then does it do what waits for that. */
  read(): Record<string, number> {
    const counts = { ...this.counts };
    for (const act of this.#later.splice(0)) act();
    return counts;
  }

  /** Acts after the counts were read once: late on any machine, however slow. */
  later(act: () => void): void {
    this.#later.push(act);
  }

  book(payload: Payload, key = this.keyOf(payload), kind = this.kindOf(payload)): void {
    if (this.#done.has(key)) return;
    this.#done.add(key);
    this.count(kind);
  }
}
