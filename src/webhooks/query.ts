/** Query parameters, in the forms that frameworks give them. */
export type QueryInput =
  | string
  | URLSearchParams
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The query parameters of a notification's URL, or those that something has parsed already; of both when given both. */
export function readQuery({
  url,
  query,
}: {
  readonly url?: string | URL | undefined;
  readonly query?: QueryInput | undefined;
}): URLSearchParams {
  const parameters = new URLSearchParams(url === undefined ? '' : queryOf(String(url)));
  for (const [name, value] of entriesOf(query)) parameters.append(name, value);
  return parameters;
}

/** Cut out by hand: `req.url` is only a path, and the URL parser quotes what it refuses. */
function queryOf(url: string): string {
  const [beforeFragment = ''] = url.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  return mark === -1 ? '' : beforeFragment.slice(mark + 1);
}

function entriesOf(query: QueryInput | undefined): Iterable<[string, string]> {
  if (query === undefined) return [];
  if (typeof query === 'string' || query instanceof URLSearchParams) return new URLSearchParams(query);
  return Object.entries(query).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, String(value)]),
  );
}
