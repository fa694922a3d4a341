/** What a promise that takes too long is rejected with. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * The promise, or a rejection with `DeadlineExceeded` when it takes longer. The work itself goes on; what it still
 * gives or throws is nobody's.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let settled = false;
    const settle = () => {
      settled = true;
      clearTimeout(timer);
    };
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
    // What is settled by now needs no timer, and that is most of what a store in memory answers.
    queueMicrotask(() => {
      if (settled) return;
      timer = setTimeout(() => reject(new DeadlineExceeded(`took longer than ${ms} ms`)), ms);
    });
  });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
