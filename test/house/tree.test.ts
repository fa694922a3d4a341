import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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
  'stores',
  'webhooks',
  'orders',
  'sandbox',
  'testing',
  'cli',
];

/** Files that one file of their own folder imports, and nothing else, and why they are no part of that file. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  'src/cli/texts.pt.ts': 'the same texts in another language',
  'src/cli/verify/script.ts': 'the order of the groups, which each have a file',
  'src/client/connections.ts': 'whose connections a request goes over, which knows nothing of calls',
  'src/client/transport.ts': 'sends a call through ky, attempt by attempt',
  'src/orders/order-link.ts': 'the other side of webhooks/order-link.ts: what a listener asks of orders',
  'src/sandbox/inventions.pt.ts': 'the words of one language',
  'src/sandbox/page/app/sales.ts': 'one part of the page that can be seen',
  'src/sandbox/page/app/story.ts': 'one part of the page that can be seen',
  'src/sandbox/page/app/texts.pt.ts': 'the words of one language',
  'src/sandbox/server/page-routes.ts': 'the routes of the page, which a sandbox without a page does not have',
  'src/sandbox/texts.pt.ts': 'the words of one language',
  'src/stores/slots.ts': 'how many transactions are open at a time, whatever they do',
  'src/webhooks/decide.ts': "a person's decisions, which no delivery runs through",
  'src/webhooks/dead-letters.ts': 'keeps and sends dead letters, which most listeners do without',
};

/** Tests of what no one file keeps, and what that is. */
const WALKS: Readonly<Record<string, string>> = {
  'test/cli/confirming-listener.test.ts': 'a listener with `confirm` under verify and the sandbox',
  'test/cli/right-listeners.test.ts': 'the right listeners hold in every step of verify',
  'test/cli/wrong-listeners.test.ts': 'verify names the mistake of each wrong listener',
  'test/errors/classic-mistakes.test.ts': 'the mistakes of a first day, over all entries',
  'test/errors/page.test.ts': 'docs/errors.md',
  'test/pix/docs.test.ts': 'the tables of codes in the guides',
  'test/sandbox/contract.test.ts': 'the HTTP server and the msw handlers read and answer alike',
  'test/service/document-tables.test.ts': 'no schema has a field that the document does not show',
  'test/service/guards.test.ts': 'the generated guards agree with their schemas',
  'test/stores/better-sqlite3.test.ts': 'a driver that SqliteStore runs on',
  'test/stores/databases.test.ts':
    'what each store does with a database that is none, or answers as none does',
  'test/stores/postgres-pglite.test.ts': 'a driver that PostgresStore runs on',
  'test/values/undefined-options.test.ts': 'every option of every public function, given as undefined',
};

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

  it('has no file that only a neighbour imports, without a reason', () => {
    const importers = (file: string) => files.filter((other) => imports.get(other)?.includes(file));
    const found = files.filter((file) => {
      const [first, ...others] = importers(file);
      // What an index.ts exports is for everyone.
      return (
        first !== undefined &&
        others.length === 0 &&
        dirname(first) === dirname(file) &&
        !first.endsWith('/index.ts')
      );
    });
    const advice =
      'Merge the file into the one that imports it, or give the reason in NEIGHBOURS; delete rows that no longer hold.';
    expect(found.sort(), advice).toEqual(Object.keys(NEIGHBOURS).sort());
  });
});

it('the tests mirror the source: test/x/y.test.ts, or y-part.test.ts, is about src/x/y.ts or the folder src/x/y', () => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && FLOORS.includes(file.split('/')[0] ?? ''))
    .map((file) => join('test', file));
  const sources = [...files, ...files.map((file) => `${dirname(file)}.ts`), ...commands()];
  const mirrors = (test: string) => {
    const name = test.replace(/^test/, 'src').replace(/\.test\.ts$/, '');
    return sources.some((source) => source === `${name}.ts` || name.startsWith(source.replace(/\.ts$/, '-')));
  };
  const advice =
    'Name the test after its source file, or say in WALKS what it is about; delete rows that no longer hold.';
  expect(tests.filter((test) => !mirrors(test)).sort(), advice).toEqual(Object.keys(WALKS).sort());
});

/** `src/cli/demo.ts` for `src/cli/commands/demo.ts`: people type a command without its folder. */
function commands(): string[] {
  return files
    .filter((file) => file.startsWith('src/cli/commands/'))
    .map((file) => file.replace('commands/', ''));
}
