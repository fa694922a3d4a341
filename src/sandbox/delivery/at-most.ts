import type { Send } from './delivery';

/** Sends so many notifications at a time: ten thousand payments in a row must not run out of file descriptors. */
export function atMost(limit: number, send: Send): Send {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (notification) => {
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await send(notification);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      // The place goes over to the next one as it is.
      else next();
    }
  };
}
