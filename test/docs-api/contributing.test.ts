import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const contributing = readFileSync('CONTRIBUTING.md', 'utf8');
const ci = readFileSync('.ci/run', 'utf8');

it('CONTRIBUTING.md explains every npm script, and no others', () => {
  const explained = [...contributing.matchAll(/^\| `npm (?:run )?([\w:-]+)`/gm)].map(([, name]) => name);
  const forPeople = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
  expect(explained.sort()).toEqual(forPeople.sort());
});

it('`npm run check` is what judges a change in CI, without the steps that a clean machine needs', () => {
  expect(scripts['check']).toBe('.ci/run --quick --here');
  const onlyInCi = [...ci.matchAll(/^if \[ -z "\$here" \]; then\n([\s\S]*?)^fi$/gm)].map(([, body]) => body);
  const steps = onlyInCi.join('').match(/(?<=step ')[^']+/g);
  expect(steps).toEqual([
    'Redis',
    'PostgreSQL',
    'MariaDB',
    'PgBouncer',
    'Chromium',
    'Lock file without a registry host',
    'Dependencies',
    'Nothing left behind in the work tree',
  ]);
});

it.each([
  ['ci', '.ci/run --quick'],
  ['nightly', '.ci/run --nightly'],
  ['release', '.ci/run'],
])('the workflow %s calls %s', (workflow, command) => {
  const calls = readFileSync(`.github/workflows/${workflow}.yml`, 'utf8').match(/(?<=run: )\.ci\/run.*$/gm);
  expect(calls).toEqual([command]);
});
