/** Thrown at the end of the text, in the middle of a JSON value. */
class End extends Error {}

/**
 * The texts at a path in the beginning of a JSON text, read by recursive descent. It is written to be simple, as an
 * oracle for the client’s scan. A text counts only with its closing quote.
 */
export function textsAt(text: string, path: readonly string[]): string[] {
  const found: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const taken = pattern.exec(text)?.[0] ?? '';
    at += taken.length;
    return taken;
  };
  const peek = (): string => {
    take(/\s*/y);
    if (at >= text.length) throw new End();
    return text.charAt(at);
  };
  const string = (): string => {
    const quoted = take(/"(?:[^"\\]|\\.)*"/sy);
    if (quoted === '') throw new End();
    return JSON.parse(quoted);
  };
  const value = (keys: readonly string[]): void => {
    const first = peek();
    if (first === '"') {
      const read = string();
      if (keys.join('\0') === path.join('\0')) found.push(read);
    } else if (first === '{' || first === '[') {
      at += 1;
      while (peek() !== '}' && peek() !== ']') {
        let key = '[]';
        if (first === '{') {
          key = string();
          peek();
          at += 1;
        }
        value([...keys, key]);
        if (peek() === ',') at += 1;
      }
      at += 1;
    } else if (take(/[^\s,\]}]+/y) === '') throw new End();
  };
  try {
    value([]);
  } catch (error) {
    if (!(error instanceof End)) throw error;
  }
  return found;
}
