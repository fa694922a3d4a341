/**
 * All that is listed, read a page at a time.
 *
 * @param read - reads a page: fewer than `limit` only if there are no more
 * @param after - where to begin: behind this one
 */
export async function* inPages<Each>(
  read: (page: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly Each[]>,
  idOf: (each: Each) => string,
  after: string | undefined,
  limit: number,
): AsyncGenerator<Each, void, undefined> {
  for (let last = after; ; ) {
    const page = await read({ after: last, limit });
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < limit) return;
    last = idOf(end);
  }
}
