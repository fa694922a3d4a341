import { posix } from 'node:path';

/** Where a document is, and what is beside it. */
export interface Place {
  /** The document's own path. */
  readonly file: string;
  /** Every file of the package. */
  readonly files: readonly string[];
  /** The URL of the repository's files, without a slash at the end. */
  readonly repository: string;
}

/** Makes each relative link to a file that is not in the package an absolute one. Code stays as it is. */
export function absoluteLinks(text: string, { file, files, repository }: Place): string {
  const absolute = (target: string): string => {
    const [path = '', ...anchor] = target.split('#');
    if (path === '' || /^[a-z]+:/.test(path)) return target;
    const linked = posix.join(posix.dirname(file), path);
    if (files.includes(linked)) return target;
    return [`${repository}/${linked}`, ...anchor].join('#');
  };
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) return line;
    return line
      .replace(/(\]\(<?)([^)\s>]+)(>?\))/g, (_, open, target, close) => `${open}${absolute(target)}${close}`)
      .replace(/^(\[[^\]]+\]: *)(\S+)$/, (_, open, target) => `${open}${absolute(target)}`);
  });
  return lines.join('\n');
}
