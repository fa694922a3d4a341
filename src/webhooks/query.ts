/** Query parameters, in the forms that frameworks give them. */
export type QueryInput =
  | string
  | URLSearchParams
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The query parameters of a notification's URL, or those that something has parsed already; of both when given both.
 * `undefined` when there are none, as with payments: making an empty set takes as long as all the rest of the parsing.
 */
export function readQuery({
  url,
  query,
}: {
  readonly url?: string | URL | undefined;
  readonly query?: QueryInput | undefined;
}): URLSearchParams | undefined {
  const text = url === undefined ? '' : queryOf(String(url));
  if (text === '' && query === undefined) return undefined;
  const parameters = new URLSearchParams(text);
  for (const [name, value] of entriesOf(query)) parameters.append(name, value);
  return parameters;
}

/** Cut out by hand: `req.url` is only a path, and the URL parser quotes what it refuses. */
function queryOf(url: string): string {
  const hash = url.indexOf('#');
  const beforeFragment = hash === -1 ? url : url.slice(0, hash);
  const mark = beforeFragment.indexOf('?');
  return mark === -1 ? '' : beforeFragment.slice(mark + 1);
}

function entriesOf(query: QueryInput | undefined): Iterable<[string, string]> {
  if (query === undefined) return [];
  if (typeof query === 'string' || query instanceof URLSearchParams) return new URLSearchParams(query);
  return Object.entries(query).flatMap(([name, values]) =>
    [values ?? []]
      .flat()
      // Express's qs makes an object of `type[toString]=x`, and that has no text: `String` throws.
      .filter((value) => typeof value !== 'object')
      .map((value): [string, string] => [name, String(value)]),
  );
}
