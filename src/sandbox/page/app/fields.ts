/** The values of a form's fields, by name, with white space at the ends gone. */
export function fieldsOf(event: Event): Record<string, string> {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  return Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()]));
}
