import { NothingWritten } from './nothing-written';

/** A transaction of Prisma's, which sends a query only once somebody awaits it. */
export interface WatchedTransaction<Tx> {
  /** What the callback gets: Prisma's transaction, which notes each query that is made through it. */
  readonly watched: Tx;
  /**
   * To be called when the callback has ended. What still runs then is waited for, so that its connection is free, and
   * stays pending for whoever made it: its rejection would end the process, because nothing awaits it any more.
   *
   * @throws `NothingWritten` if a query was made that has not ended
   */
  end(): Promise<void>;
}

/** Watches the queries that are made through a transaction. */
export function watchQueries<Tx extends object>(transaction: Tx): WatchedTransaction<Tx> {
  /** The queries that were made and have not ended, with their names. */
  const open = new Map<object, string>();
  const running = new Set<PromiseLike<unknown>>();
  let isOver = false;

  /** A query that tells when it is sent, and when it has ended. */
  function noted(made: unknown, name: string): unknown {
    if (!isThenable(made)) return made;
    open.set(made, name);
    let sent: Promise<unknown> | undefined;
    const send = () => {
      if (isOver) return pending();
      sent ??= new Promise((resolve, reject) => {
        const ended = (settle: (value: unknown) => void) => (value: unknown) => {
          if (isOver) return;
          open.delete(made);
          running.delete(answer);
          settle(value);
        };
        const answer = made.then(ended(resolve), ended(reject));
        running.add(answer);
      });
      return sent;
    };
    return new Proxy(made, {
      get(query, key) {
        if (key === 'then' || key === 'catch' || key === 'finally') {
          return (...given: never[]) => Reflect.apply(send()[key] as () => unknown, send(), given);
        }
        const value: unknown = Reflect.get(query, key);
        if (typeof value !== 'function') return value;
        // A relation, such as `findUnique(…).payments()`: one query in place of this one.
        return (...given: unknown[]) => {
          open.delete(made);
          return noted(Reflect.apply(value, query, given), name);
        };
      },
    });
  }

  /** An object whose methods make queries: the transaction, or one of its models. */
  function watching<Target extends object>(target: Target, nameOf: (key: string) => string): Target {
    return new Proxy(target, {
      get(_, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof key === 'symbol') return value;
        if (typeof value === 'function') {
          return (...given: unknown[]) => noted(Reflect.apply(value, target, given), nameOf(key));
        }
        const isModel = target === (transaction as object) && typeof value === 'object' && value !== null;
        return isModel && /^[a-z]/i.test(key) ? watching(value, (method) => `${key}.${method}`) : value;
      },
    });
  }

  return {
    watched: watching(transaction, (key) => key),
    async end() {
      if (open.size === 0) return;
      isOver = true;
      await Promise.all(running);
      const names = [...new Set(open.values())].map((name) => `\`${name}\``).join(', ');
      throw new NothingWritten(
        `The callback has ended before ${names}, which nothing awaited: Prisma sends a query only when it is awaited.`,
      );
    },
  };
}

function isThenable(value: unknown): value is object & PromiseLike<unknown> {
  return typeof (Object(value) as { readonly then?: unknown }).then === 'function';
}

/** Of its own each time: one for all would hold on to whatever waits for it. */
function pending(): Promise<never> {
  return new Promise(() => undefined);
}
