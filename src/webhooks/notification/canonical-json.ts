/**
 * Returns a JSON value as text that depends neither on the order of fields nor on white space. Returns `undefined` for
 * a value that contains itself, and for one so deeply nested that it could exhaust the stack.
 *
 * The sender decides how much there is to sort, so sorting has a limit: a value of more than {@link MAX_SORTED} fields
 * and items in all is written in the order it came in.
 */
export function canonicalJson(value: unknown): string | undefined {
  try {
    return isSmall(value) ? write(value, MAX_DEPTH) : JSON.stringify(value, withBigInts);
  } catch (error) {
    // A `TypeError` means an object that contains itself, which only a program can make.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Documented notifications have fewer than a hundred. */
const MAX_SORTED = 5_000;

const MAX_DEPTH = 200;

function isSmall(value: unknown): boolean {
  const found = [value];
  // The loop also visits the values that it adds.
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue;
    if (found.length + Object.keys(each).length > MAX_SORTED + 1) return false;
    found.push(...Object.values(each));
  }
  return true;
}

/** @throws `RangeError` for a value that is nested more deeply than so many levels */
function write(value: unknown, levels: number): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (levels === 0) throw new RangeError('The value is nested too deeply.');
  if (Array.isArray(value)) return `[${value.map((item) => write(item, levels - 1)).join()}]`;
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${write(Reflect.get(value, name), levels - 1)}`);
  return `{${fields.join()}}`;
}

/** Some parsers read large numbers as BigInt, which JSON cannot write. */
function withBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
