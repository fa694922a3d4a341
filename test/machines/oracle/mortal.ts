import type { Mortal } from './stores';

/** What happens to a process, and at which of its statements. */
export interface Trouble {
  readonly at: number;
  readonly what: 'killed before' | 'killed after' | 'cut before' | 'cut after';
}

/** A process of a shop. Once it is dead, it hears nothing, and nothing that it says is heard. */
export class MortalProcess implements Mortal {
  #steps = 0;
  isDead = false;
  hasHit = false;
  #tellDeath: () => void = () => undefined;
  readonly died = new Promise<undefined>((resolve) => {
    this.#tellDeath = () => resolve(undefined);
  });
  readonly #ends: (() => void)[] = [];

  /** @param onTrouble - is told of each trouble, when it comes */
  constructor(
    readonly trouble: Trouble | undefined,
    readonly onTrouble: (what: Trouble['what']) => void,
  ) {}

  onDeath(end: () => void): void {
    this.#ends.push(end);
  }

  end(): void {
    this.isDead = true;
    this.#tellDeath();
    for (const end of this.#ends.splice(0)) end();
  }

  /** Bound, because the stores take it off its process. */
  readonly outside = async <Result>(act: () => PromiseLike<Result>): Promise<Result> => {
    const forEver = () => new Promise<never>(() => undefined);
    if (this.isDead) return forEver();
    this.#steps += 1;
    // Steps take time, so that two processes can be at work on one subject.
    await new Promise(setImmediate);
    const what = this.#steps === this.trouble?.at ? this.trouble.what : undefined;
    const meet = () => {
      this.hasHit = true;
      this.onTrouble(what as Trouble['what']);
      if (what?.startsWith('cut'))
        throw Object.assign(new Error('simulated: the connection was lost'), { code: 'ECONNRESET' });
      this.end();
      return forEver();
    };
    if (what?.endsWith('before')) return meet();
    const result = await act();
    if (this.isDead) return forEver();
    return what?.endsWith('after') ? meet() : result;
  };
}
