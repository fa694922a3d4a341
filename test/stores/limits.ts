/** The limits of a claim with this lease. */
export const lease = (leaseMs: number) => ({ leaseMs, withinMs: 5_000 });

/** The limits of a claim that soon gives up. */
export const briefly = { leaseMs: 1_000, withinMs: 50 };

/** The limits of a completion that is remembered for this long. */
export const retain = (retentionMs: number) => ({ retentionMs, withinMs: 5_000 });
