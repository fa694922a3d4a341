import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The rooms of `src`, from the ground up. `service` is below `errors`, because an error names its operation and carries
 * the last transaction seen; `sandbox` is below `testing`, because msw answers with the sandbox's model.
 */
const FLOORS = [
  'shared',
  'service',
  'errors',
  'values',
  'pix',
  'client',
  'recurrence',
  'stores',
  'webhooks',
  'orders',
  'sandbox',
  'testing',
  'cli',
];

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('src', file));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}(?:\/[^']*)?)'/g);
  const modules = [...specifiers]
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !specifier.endsWith('.json'));
  return modules.map((specifier) => {
    const target = normalize(join(file, '..', specifier));
    const found = [`${target}.ts`, join(target, 'index.ts')].find((candidate) => files.includes(candidate));
    if (found === undefined) throw new Error(`${file} imports ${specifier}, which is not there.`);
    return found;
  });
}

/** `client` of `src/client/options.ts`; `undefined` of `src/index.ts`, which is the roof, and of `src/version.ts`. */
function roomOf(file: string): string | undefined {
  const [, room, rest] = file.split('/');
  return rest === undefined ? undefined : room;
}

/** Every path of imports from a file back to itself. */
function circlesFrom(start: string): string[] {
  const circles: string[] = [];
  const visited = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    for (const next of imports.get(file) ?? []) {
      if (next === start) circles.push([...way, file, start].join(' → '));
      else if (!visited.has(next)) {
        visited.add(next);
        walk(next, [...way, file]);
      }
    }
  };
  walk(start, []);
  return circles;
}

describe('the source tree', () => {
  it('has exactly the rooms of the plan', () => {
    const rooms = new Set(files.map(roomOf).filter((room) => room !== undefined && room !== 'version.ts'));
    expect([...rooms].sort()).toEqual([...FLOORS].sort());
  });

  it('imports nothing from a floor above', () => {
    const roof = FLOORS.length;
    const floor = (file: string) => (file === 'src/index.ts' ? roof : FLOORS.indexOf(roomOf(file) ?? ''));
    const upward = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => floor(target) > floor(file)).map((target) => `${file} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it('lets pix import nothing from the other rooms', () => {
    const outside = [...imports].flatMap(([file, targets]) =>
      roomOf(file) === 'pix' ? targets.filter((target) => roomOf(target) !== 'pix') : [],
    );
    expect(outside).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(files.flatMap(circlesFrom)).toEqual([]);
  });
});
