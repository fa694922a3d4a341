/** Does the work for every item, for `atATime` items at once, and returns failures as results. */
export async function inParallel<Item, Result>(
  atATime: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Map<Item, PromiseSettledResult<Result>>> {
  const results = new Map<Item, PromiseSettledResult<Result>>();
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const [result] = await Promise.allSettled([work(item)]);
      results.set(item, result);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}
