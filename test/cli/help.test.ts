import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/program';

describe.each(commands)('the help of $name', ({ summary, options }) => {
  it('is one line that begins with an imperative', () => {
    expect(summary).toMatch(/^(?!The |An? )[A-Z][a-z]+ .*[^.]$/);
    for (const text of [summary, ...Object.values(options).map(({ about }) => about)]) {
      expect(text).not.toMatch(/\.$|\n/);
      expect(text.length).toBeLessThan(125);
    }
  });
});
