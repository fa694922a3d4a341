/** What the stores took in this run, for the estimate of a fleet; empty when their part did not run. */
export const bytesAKey = new Map<string, number>();
