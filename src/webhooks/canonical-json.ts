/**
 * A JSON value as text that depends neither on the order of keys nor on white space; `undefined` for one nested deeper
 * than any sensible body, which would exhaust the stack.
 */
export function canonicalJson(value: unknown): string | undefined {
  try {
    return write(value, MAX_DEPTH);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const MAX_DEPTH = 200;

/** @throws `RangeError` for a value that is nested more deeply than so many levels */
function write(value: unknown, levels: number): string {
  // Some parsers read large numbers as BigInt, which JSON cannot write.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (levels === 0) throw new RangeError('The value is nested too deeply.');
  if (Array.isArray(value)) return `[${value.map((item) => write(item, levels - 1)).join()}]`;
  // By the engine's own order: a function that compares doubles the time that 90,000 keys take.
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${write(Reflect.get(value, name), levels - 1)}`);
  return `{${fields.join()}}`;
}
