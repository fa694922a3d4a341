import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256Of } from '../../src/shared/hash';

it("the hash of a text is node's SHA-256 of its UTF-8, for each length within three blocks", () => {
  for (let length = 0; length <= 192; length += 1) {
    const text = `${'x'.repeat(length)}é€😀`;
    expect(sha256Of(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
  }
});
