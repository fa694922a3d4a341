import { spawnSync } from 'node:child_process';
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
    'The machine: servers, Chromium and dependencies',
    'Nothing left behind in the work tree',
  ]);
});

it.each([
  ['all pass', 'true', 0, '\n--- echo one\none\n\n--- true\n\n--- echo three >&2\nthree\n'],
  ['one fails', 'exit 3', 1, '\n--- echo one\none\n\n--- echo three >&2\nthree\n\n--- FAILED: exit 3\n'],
])('checks side by side show what each printed, and fail if one fails: %s', (_, second, status, printed) => {
  const [script = ''] = /^side_by_side\(\) \{[\s\S]*?^\}$/m.exec(ci) ?? [];
  const args = ['-euc', `${script}\nside_by_side 'echo one' '${second}' 'echo three >&2'`];
  expect(spawnSync('bash', args, { encoding: 'utf8' })).toMatchObject({ status, stdout: printed });
});

it('the machine is prepared part by part, and the first that fails ends it', () => {
  const [script = ''] = /^prepare_machine\(\) \{[\s\S]*?^\}$/m.exec(ci) ?? [];
  const parts = [...(/for part in ([\s\S]*?); do/.exec(script)?.[1] ?? '').matchAll(/\w+/g)].map(String);
  expect(parts).toEqual(expect.arrayContaining(['start_redis', 'start_postgres', 'start_mariadb']));
  const fakes = parts.map((part) => `${part}() { ${part === 'start_postgres' ? 'false' : `echo ${part}`}; }`);
  const shell = ['-euc', ['headline() { :; }', ...fakes, script, 'prepare_machine'].join('\n')];
  const stdout = 'install_missing\nstart_redis\n';
  const expected = { status: 1, stdout, stderr: 'FAILED: start_postgres\n' };
  // With a socket as its input, bash may take itself for a remote shell, and read its start-up files.
  expect(spawnSync('bash', shell, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })).toMatchObject(
    expected,
  );
});

it.each([
  ['ci', '.ci/run --quick'],
  ['nightly', '.ci/run --nightly'],
  ['release', '.ci/run'],
])('the workflow %s calls %s', (workflow, command) => {
  const calls = readFileSync(`.github/workflows/${workflow}.yml`, 'utf8').match(/(?<=run: )\.ci\/run.*$/gm);
  expect(calls).toEqual([command]);
});
