/** A text with its values: a `{name}` that has none stays. `{name:word|words}` is `word` where the value is 1. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (mark, name, one, many) => {
    const value = values[name];
    if (value === undefined) return mark;
    if (one === undefined) return String(value);
    return String(value) === '1' ? one : many;
  });
}
