import { format } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientPaths } from './client-paths';
import { beHostile } from './hostile-host';
import { marked } from './marks';
import { type Observation, observe } from './observe';
import { sandboxPaths } from './sandbox-paths';
import { webhookPaths } from './webhook-paths';

const consoleMethods = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
let endHostility: () => void;
let written: string[];
let observations = 0;
let found = 0;

beforeAll(() => {
  endHostility = beHostile();
});
afterAll(() => endHostility());
beforeEach(() => {
  written = [];
  for (const method of consoleMethods) {
    vi.spyOn(console, method).mockImplementation((...args) => void written.push(format(...args)));
  }
});
afterEach(() => vi.restoreAllMocks());

function marksSeen(value: unknown): Observation[] {
  const seen = [value, written.join('\n')].flatMap(observe);
  observations += seen.length;
  return seen.filter(({ marks }) => marks.length > 0);
}

async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return error;
  }
}

const paths = [...clientPaths, ...webhookPaths, ...sandboxPaths];

describe('nothing that can be seen of a failure holds a credential or personal data', () => {
  it.each(paths)('%s', async (_name, run) => {
    const seen = marksSeen(await outcomeOf(run));
    found += seen.length;
    expect(seen).toEqual([]);
  });

  afterAll(() => {
    vi.restoreAllMocks();
    console.log(`secrets: ${paths.length} paths, ${observations} observations, marks found: ${found}`);
  });
});

const { apiKey, apiToken, cpf, email } = marked;
const leaks: ReadonlyArray<readonly [where: string, leak: () => unknown]> = [
  ['its message', () => new Error(`refused ${apiKey}`)],
  ['a property', () => Object.assign(new Error(), { body: { deep: [{ cpf }] } })],
  ['a property that is hidden', () => Object.defineProperty(new Error(), 'body', { value: email })],
  ['a property by a symbol', () => Object.assign(new Error(), { [Symbol('body')]: email })],
  ['its cause', () => new Error('', { cause: new Error('', { cause: new Error(cpf) }) })],
  ['one of several', () => new AggregateError([new Error(), new Error(apiToken)])],
  ['its name', () => Object.assign(new Error(), { name: `${apiKey}Error` })],
  ['toJSON', () => ({ toJSON: () => ({ email }) })],
  ['Base64', () => new Error(Buffer.from(`${apiKey}:${apiToken}`).toString('base64'))],
  ['percent-encoding', () => new Error(`/?email=${encodeURIComponent(email)}`)],
  ['lower case', () => new Error(`https://${apiKey.toLowerCase()}.example`)],
  ['the console', () => console.error('failed', { headers: { 'x-api-key': apiKey } })],
];

it.each(leaks)('a leak would be found: in %s', async (_where, leak) => {
  expect(marksSeen(await outcomeOf(leak))).not.toEqual([]);
});
