import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSandbox, order } from '../helpers';

const now = () => Date.UTC(2031, 0, 1, 2, 59, 59);

describe('the model', () => {
  it('writes date-times in its own zone', async () => {
    const { create, query } = await openSandbox({ now });
    expect((await query((await create()).uuid)).creation).toBe('2030-12-31 23:59:59');
    const utc = await openSandbox({ now, inventions: { utcOffsetMinutes: 0 } });
    expect((await utc.query((await utc.create()).uuid)).creation).toBe('2031-01-01 02:59:59');
  });

  it('answers a maxAge beyond any calendar with the last date of all', async () => {
    const { create, query } = await openSandbox();
    expect((await query((await create({ ...order, maxAge: 1e300 })).uuid)).maxAge).toBe(
      '9999-12-31 23:59:59',
    );
  });

  it('needs nothing of Node, so that the msw handlers can share it', () => {
    const directory = new URL('../../../src/sandbox/model/', import.meta.url);
    for (const file of readdirSync(directory)) {
      expect(readFileSync(new URL(file, directory), 'utf8'), file).not.toMatch(/'node:|\b(Buffer|process)\b/);
    }
  });
});
