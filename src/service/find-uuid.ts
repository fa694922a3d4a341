/** An object or list that the scan is currently inside. */
interface Container {
  /** The key that it belongs to; empty for the outermost, and for the items of a list. */
  readonly key: string;
  readonly isObject: boolean;
}

/**
 * Finds the transaction's uuid in a response, even in one that broke off in the middle. The QR code's image makes the
 * end of a checkout response the part that is most likely to be lost, and the uuid comes before it.
 *
 * Only the documented path counts: a uuid elsewhere may be the shopper's, or a gateway's for its own log. `JSON.parse`
 * cannot do this, because it reads only complete texts.
 *
 * @param path - the keys that lead to the uuid; empty if the response has none
 * @returns more than one if different uuids are at that path, and none if there is none
 */
export function findUuids(text: string, path: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const ancestors: Container[] = [];
  let key = '';
  let expectsKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (end === undefined) break;
      if (expectsKey) key = unquote(text.slice(at, end));
      else if (key === path.at(-1) && isParentOf(path, ancestors)) found.add(unquote(text.slice(at, end)));
      expectsKey = false;
      at = end - 1;
    } else if (character === '{' || character === '[') {
      expectsKey = character === '{';
      ancestors.push({ key, isObject: expectsKey });
      key = '';
    } else if (character === '}' || character === ']') {
      ancestors.pop();
      expectsKey = false;
    } else if (character === ',') {
      expectsKey = ancestors.at(-1)?.isObject === true;
      key = '';
    }
  }
  found.delete('');
  return found;
}

/** Whether the scan is directly inside the object that the last key of a path belongs to. */
function isParentOf(path: readonly string[], ancestors: readonly Container[]): boolean {
  const keys = ['', ...path.slice(0, -1)];
  return (
    ancestors.length === keys.length &&
    ancestors.every(({ key, isObject }, at) => isObject && key === keys[at])
  );
}

/** The position after the closing quote; `undefined` if the string has no end. */
function endOfString(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return undefined;
}

function unquote(string: string): string {
  try {
    return JSON.parse(string);
  } catch {
    return '';
  }
}
