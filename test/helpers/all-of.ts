/** All that is listed. */
export async function allOf<Each>(listed: AsyncIterable<Each>): Promise<Each[]> {
  const all: Each[] = [];
  for await (const each of listed) all.push(each);
  return all;
}
