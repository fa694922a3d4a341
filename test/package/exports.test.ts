import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, inject, it } from 'vitest';
import { node } from './run';

const consumer = inject('consumer');

/** The names that each entry exports, as `docs/api-report.md` records them for review. */
const [recorded = ''] = readFileSync('docs/api-report.md', 'utf8').split('\n## Declarations');
const entries = recorded
  .split('\n## pix-automatic-sdk')
  .slice(1)
  .map((section): [entry: string, names: string[]] => {
    const [subpath = '', ...lines] = section.split('\n');
    return [`.${subpath}`, lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2))];
  });

/** What each entry gives at run time. */
async function values(load: 'import' | 'require'): Promise<Map<string, string[]>> {
  const specifiers = entries.map(([entry]) => entry.replace('.', 'pix-automatic-sdk'));
  const loaded = load === 'import' ? 'await import(specifier)' : 'require(specifier)';
  const program = `const given = [];
    for (const specifier of ${JSON.stringify(specifiers)}) given.push(Object.keys(${loaded}).sort());
    console.log(JSON.stringify(given))`;
  const type = load === 'import' ? 'module' : 'commonjs';
  const given = JSON.parse(await node(consumer, `--input-type=${type}`, '-e', program)) as string[][];
  return new Map(entries.map(([entry], index) => [entry, given[index] ?? []]));
}

/** A program of all declarations, as one for each takes seconds; gives the names that one declares. */
function declarations() {
  const dist = join(consumer, 'node_modules/pix-automatic-sdk/dist');
  const fileOf = (entry: string, extension: string) =>
    join(dist, `${entry === '.' ? 'index' : entry.slice(2)}.${extension}`);
  const files = entries.flatMap(([entry]) => [fileOf(entry, 'd.ts'), fileOf(entry, 'd.cts')]);
  const typeRoots = [join(consumer, 'node_modules/@types')];
  const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, types: ['node'], typeRoots });
  const checker = program.getTypeChecker();
  return (entry: string, extension: 'd.ts' | 'd.cts'): string[] => {
    const source = program.getSourceFile(fileOf(entry, extension));
    const module = source && checker.getSymbolAtLocation(source);
    return (module ? checker.getExportsOfModule(module) : []).map((symbol) => symbol.name).sort();
  };
}

/** What the list of exports in the source gives at run time. */
function valuesInSource(entry: string): string[] {
  const file = join('src', entry, 'index.ts');
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const lists = statements.filter(ts.isExportDeclaration).filter(({ isTypeOnly }) => !isTypeOnly);
  return lists
    .flatMap(({ exportClause }) =>
      exportClause && ts.isNamedExports(exportClause) ? [...exportClause.elements] : [],
    )
    .flatMap(({ isTypeOnly, name }) => (isTypeOnly ? [] : [name.text]))
    .sort();
}

const declaredIn = declarations();

it('each exported class keeps its own name, which logs print', async () => {
  const program = `const entries = [require('pix-automatic-sdk'), require('pix-automatic-sdk/webhooks'), require('pix-automatic-sdk/stores'), require('pix-automatic-sdk/orders')];
    const classes = entries.flatMap((entry) => Object.entries(entry)).filter(([, value]) => /^class/.test(value));
    console.log(JSON.stringify(classes.map(([name, { name: ownName }]) => [name, ownName])))`;
  const names = JSON.parse(await node(consumer, '--input-type=commonjs', '-e', program)) as [
    string,
    string,
  ][];
  expect(names.length).toBeGreaterThan(0);
  // The bundler calls a class `_Name` when its body mentions Name: write `this` there (`new this(…)`, `static {}`).
  expect(names.filter(([name, ownName]) => name !== ownName)).toEqual([]);
});

it('every entry of the manifest is in the API report', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
  expect(entries.map(([entry]) => entry)).toEqual(
    Object.keys(manifest.exports).filter((entry) => entry !== './package.json'),
  );
});

describe.each(['import', 'require'] as const)('%s', async (load) => {
  const given = await values(load);

  it.each(entries)('gives of %s what the source exports', (entry) => {
    expect(given.get(entry)).toEqual(valuesInSource(entry));
  });
});

describe.each(['d.ts', 'd.cts'] as const)('the .%s', (extension) => {
  it.each(entries)('of %s declares the names of the API report', (entry, names) => {
    expect(declaredIn(entry, extension)).toEqual(names);
  });
});
