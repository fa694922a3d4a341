/** Query parameters, in the forms that frameworks give them. */
export type QueryInput =
  | string
  | URLSearchParams
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a notification's query parameters are. */
export interface QuerySource {
  /** The URL it was sent to, or its path; only the query is read. */
  readonly url?: string | URL | undefined;
  /** The query parameters, if something has parsed them already. */
  readonly query?: QueryInput | undefined;
}

/** Returns the query parameters of the URL and of the parsed query, whichever are given. */
export function readQuery({ url, query }: QuerySource): URLSearchParams {
  const parameters = new URLSearchParams(queryOf(url));
  for (const [name, value] of entriesOf(query)) parameters.append(name, value);
  return parameters;
}

/** Returns the query of a URL. Not by `new URL`: `req.url` is only a path, and the errors of `URL` quote it. */
export function queryOf(url: string | URL | undefined): string {
  if (url === undefined) return '';
  const whole = String(url);
  const mark = whole.indexOf('?');
  if (mark === -1) return '';
  const hash = whole.indexOf('#');
  // A mark after the hash belongs to the fragment: the slice is empty then.
  return hash === -1 ? whole.slice(mark + 1) : whole.slice(mark + 1, hash);
}

function entriesOf(query: QueryInput | undefined): Iterable<[string, string]> {
  if (query === undefined) return [];
  if (typeof query === 'string' || query instanceof URLSearchParams) return new URLSearchParams(query);
  return Object.entries(query).flatMap(([name, values]) =>
    [values ?? []]
      .flat()
      // Express's qs turns `type[toString]=x` into an object for which `String` throws.
      .filter((value) => typeof value !== 'object')
      .map((value): [string, string] => [name, String(value)]),
  );
}
