import { describe, expect, it } from 'vitest';
import { stateFromStored, storableState, storableSubject } from '../../src/stores/names';
import { hashed } from '../../src/stores/store-arguments';

describe('A subject in a database', () => {
  it.each(['payment:1', '"', 'é'.repeat(500), '🇧🇷', ''])('is itself: %j', (subject) => {
    expect(storableSubject(subject)).toBe(subject);
  });

  it.each(['é'.repeat(501), 'a\0b', '\uD800', 'a\uDC00b', 'sha256:1'])(
    'is its hash where it cannot be a key unchanged: %j',
    (subject) => {
      expect(storableSubject(subject)).toBe(hashed(subject));
    },
  );
});

describe('A state in a database', () => {
  it.each(['PAID', 'a "quoted"', 'é'.repeat(512), '🇧🇷', ''])('is itself: %j', (state) => {
    expect(storableState(state)).toBe(state);
    expect(stateFromStored(state)).toBe(state);
  });

  it.each(['"', '"PAID"', '"PAID', 'a\0b', '\uD800', 'a\uDC00b'])(
    'is JSON that reads back the same, where it cannot be stored or begins like JSON: %j',
    (state) => {
      expect(storableState(state)).toBe(JSON.stringify(state));
      expect(stateFromStored(storableState(state))).toBe(state);
    },
  );

  it.each(['é'.repeat(513), '\0'.repeat(513), 'sha256:1'])(
    'is its hash where it is too long or looks like a hash: %j',
    (state) => {
      expect(storableState(state)).toBe(hashed(state));
      expect(stateFromStored(storableState(state))).toBe(hashed(state));
    },
  );
});
