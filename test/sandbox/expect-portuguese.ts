import { expect } from 'vitest';

/** Words that no Portuguese sentence has. What is code, a URL or a name stays as it is. */
const ENGLISH =
  /\b(the|of|and|or|with|without|was|were|not|is|are|it|its|to|from|this|that|by|in|on|all|headers?)\b/i;
const NO_WORDS =
  /`[^`]*`|"[^"]*"|'[^']*'|\{\w+\}|^ +\$ .*$|https?:\S+|--?[a-z-]+|\b[A-Z_]{3,}\b|\S+[.:/=]\S+/gm;

/** Fails for a text with an English sentence. */
export function expectPortuguese(text: string): void {
  const prose = text.replaceAll(NO_WORDS, ' ');
  for (const line of prose.split('\n')) expect(line).not.toMatch(ENGLISH);
}
