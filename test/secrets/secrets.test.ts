import { format } from 'node:util';
import * as sdk from 'pix-automatic-sdk';
import * as orders from 'pix-automatic-sdk/orders';
import * as pix from 'pix-automatic-sdk/pix';
import * as sandbox from 'pix-automatic-sdk/sandbox';
import * as stores from 'pix-automatic-sdk/stores';
import * as testing from 'pix-automatic-sdk/testing';
import * as webhooks from 'pix-automatic-sdk/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { reportCodes } from '../helpers/report-codes';
import { clientPaths } from './client-paths';
import { configurationPaths } from './configuration-paths';
import { handlerPaths, reportedCodes } from './handler-paths';
import { beHostile } from './hostile-host';
import { marked } from './marks';
import { type Observation, observe } from './observe';
import { ordersPaths } from './orders-paths';
import { pixPaths } from './pix-paths';
import { sandboxPaths } from './sandbox-paths';
import { storePaths } from './store-paths';
import { testingPaths } from './testing-paths';
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
  const seen = [value, written.splice(0).join('\n')].flatMap(observe);
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

const parts = {
  ...{ configurationPaths, clientPaths, webhookPaths, handlerPaths, storePaths },
  ...{ ordersPaths, sandboxPaths, testingPaths, pixPaths },
};
const paths = Object.values(parts).flatMap((each) => Object.entries(each));
const entries = { ...sdk, ...webhooks, ...stores, ...orders, ...sandbox, ...testing, ...pix };
const seenErrors = new Set<string>();

describe('no view of a result or an error shows a credential or personal data', () => {
  it.each(Object.entries(parts))('after any of %s', async (_, each) => {
    const outcomes: { readonly path: string; readonly outcome: unknown }[] = [];
    const follow = async ([path, run]: (typeof paths)[number]) =>
      void outcomes.push({ path, outcome: await outcomeOf(run) });
    // At once, these wait less; of the others, some end by a time.
    if (each === storePaths) await Promise.all(Object.entries(each).map(follow));
    else for (const path of Object.entries(each)) await follow(path);
    const leaks = outcomes.flatMap(({ path, outcome }) => {
      if (outcome instanceof Error) seenErrors.add(outcome.constructor.name);
      return marksSeen(outcome).map((leak) => ({ path, ...leak }));
    });
    found += leaks.length;
    expect(leaks).toEqual([]);
  });

  afterAll(() => {
    vi.restoreAllMocks();
    console.log(`secrets: ${paths.length} paths, ${observations} observations, marks found: ${found}`);
  });
});

describe('the paths of this test', () => {
  const isError = (name: string) => /^[A-Z].*Error$/.test(name);

  /** These cannot fail, or their results do not belong to a failure. */
  const withoutPaths = [
    'VERSION',
    'isCallError',
    'payoutFailure',
    'explainPixCode',
    'fakeClock',
    'inventionTable',
    'sequentialIds',
  ];

  it('use every export that can fail', () => {
    const names = Object.keys(entries).filter((name) => !isError(name) && !name.endsWith('Schema'));
    const missing = names.filter((name) => !paths.some(([title]) => title.includes(name)));
    expect(missing.sort()).toEqual(withoutPaths.sort());
  });

  it('cause every class of error', () => {
    const errors = Object.keys(entries).filter((name) => isError(name) && name !== 'PaymentsError');
    expect([...seenErrors]).toEqual(expect.arrayContaining(errors));
  });

  it('cause every code of a report', () => {
    expect([...reportedCodes].sort()).toEqual(reportCodes.toSorted());
  });
});

const { apiKey, apiToken, cpf, email } = marked;
const leaks: ReadonlyArray<readonly [where: string, leak: () => unknown]> = [
  ['its message', () => new Error(`refused ${apiKey}`)],
  ['a property', () => Object.assign(new Error(), { body: { deep: [{ cpf }] } })],
  ['a hidden property', () => Object.defineProperty(new Error(), 'body', { value: email })],
  ['a symbol property', () => Object.assign(new Error(), { [Symbol('body')]: email })],
  ['its cause', () => new Error('', { cause: new Error('', { cause: new Error(cpf) }) })],
  ['one of several errors', () => new AggregateError([new Error(), new Error(apiToken)])],
  ['its name', () => Object.assign(new Error(), { name: `${apiKey}Error` })],
  ['toJSON', () => ({ toJSON: () => ({ email }) })],
  ['Base64', () => new Error(Buffer.from(`${apiKey}:${apiToken}`).toString('base64'))],
  ['percent-encoding', () => new Error(`/?email=${encodeURIComponent(email)}`)],
  ['lower case', () => new Error(`https://${apiKey.toLowerCase()}.example`)],
  ['the console', () => console.error('failed', { headers: { 'x-api-key': apiKey } })],
];

it.each(leaks)('a leak is detected in %s', async (_where, leak) => {
  expect(marksSeen(await outcomeOf(leak))).not.toEqual([]);
});
