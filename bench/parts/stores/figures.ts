/** Bytes per key of each store in this run, for the estimate of `fleet`. Empty if the part `stores` did not run. */
export const bytesAKey = new Map<string, number>();
