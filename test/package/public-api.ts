/**
 * Every name that the package exports, by entry: `values` at run time (the same in ESM and CommonJS), `types` in the
 * declarations alone. Kept by hand, so that nothing becomes public, or goes, by accident.
 */
export const publicApi: Record<string, { values: string[]; types: string[] }> = {
  '.': { values: [], types: [] },
  './webhooks': { values: [], types: [] },
  './stores': { values: [], types: [] },
  './testing': { values: [], types: [] },
  './sandbox': { values: [], types: [] },
};
