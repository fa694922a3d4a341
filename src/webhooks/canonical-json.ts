/**
 * A JSON value as text that depends neither on the order of keys nor on white space; `undefined` for one nested deeper
 * than any sensible body, which would exhaust the stack.
 */
export function canonicalJson(value: unknown): string | undefined {
  return depthWithin(value, MAX_DEPTH) ? write(value) : undefined;
}

const MAX_DEPTH = 200;

function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => depthWithin(inner, levels - 1));
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  // Some parsers read large numbers as BigInt, which JSON cannot write.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${write(field)}`);
  return `{${fields.join()}}`;
}
