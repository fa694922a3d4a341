import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, inject, it } from 'vitest';
import { publicApi } from './public-api';
import { node } from './run';

const consumer = inject('consumer');
const advice =
  'The public API changed. If that was meant, record it in test/package/public-api.ts and tell users in CHANGELOG.md.';

async function valuesOf(entry: string, load: 'import' | 'require'): Promise<string[]> {
  const specifier = JSON.stringify(entry.replace('.', 'pix-automatic-sdk'));
  const program = `const entry = ${load === 'import' ? `await import(${specifier})` : `require(${specifier})`};
    console.log(JSON.stringify(Object.keys(entry)))`;
  const type = load === 'import' ? 'module' : 'commonjs';
  return (JSON.parse(await node(consumer, `--input-type=${type}`, '-e', program)) as string[]).sort();
}

function declaredIn(entry: string, extension: 'd.ts' | 'd.cts'): string[] {
  const name = entry === '.' ? 'index' : entry.slice(2);
  const file = join(consumer, 'node_modules/pix-automatic-sdk/dist', `${name}.${extension}`);
  const typeRoots = [join(consumer, 'node_modules/@types')];
  const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, types: ['node'], typeRoots });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  return (module ? checker.getExportsOfModule(module) : []).map((symbol) => symbol.name).sort();
}

it('each exported class keeps its own name, which logs print', async () => {
  const program = `const entries = [require('pix-automatic-sdk'), require('pix-automatic-sdk/webhooks'), require('pix-automatic-sdk/stores'), require('pix-automatic-sdk/journal')];
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

describe.each(Object.entries(publicApi))('%s', (entry, recorded) => {
  it('exports exactly the recorded names with import', async () => {
    expect(await valuesOf(entry, 'import'), advice).toEqual([...recorded.values].sort());
  });

  it('exports exactly the recorded names with require', async () => {
    expect(await valuesOf(entry, 'require'), advice).toEqual([...recorded.values].sort());
  });

  it.each(['d.ts', 'd.cts'] as const)('declares exactly the recorded names in its .%s', (extension) => {
    expect(declaredIn(entry, extension), advice).toEqual([...recorded.values, ...recorded.types].sort());
  });
});
