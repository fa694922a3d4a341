import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scopes } from './scopes';

it.each(Object.entries(scopes))('each file of the scope %s exists, and so do its tests', (_, scope) => {
  const paths = Object.entries(scope).flat(2);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
