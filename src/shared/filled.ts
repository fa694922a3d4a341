/** A text with its values: a `{name}` that has none stays. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (mark, name) => String(values[name] ?? mark));
}
