import { readFileSync } from 'node:fs';

/** A fenced block of code in a Markdown file. */
export interface CodeBlock {
  /** What follows the fence: `ts`, `ts run`, `sh`. */
  readonly info: string;
  readonly code: string;
  /** Where it starts, for a failure's message: `README.md:12`. */
  readonly place: string;
}

/** Every fenced block of a Markdown file, in order. */
export function codeBlocks(file: string): CodeBlock[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(({ 1: info = '', 2: code = '', index }) => ({
    info,
    code,
    place: `${file}:${text.slice(0, index).split('\n').length}`,
  }));
}
