import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { createStore, type ListedRecord, type RecordStore } from 'pix-automatic-sdk/stores';
import { describe, it } from 'vitest';
import type {} from '../../examples/hono-workers/d1-records';
import type {} from '../../examples/own-store/durable-objects';
import { DynamoRecords } from '../../examples/own-store/dynamodb';
import { type StoreHarness, testStoreContract } from '../stores/contract';

/** Packages that npx installs for these tests alone; `undefined` where there is no registry. */
async function fromNpx(...packages: string[]): Promise<NodeJS.Require | undefined> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const specs = packages.flatMap((spec) => ['-p', spec]);
  const command = ['-y', '--ignore-scripts', ...specs, '--', 'node', '-p', 'process.env.PATH'];
  try {
    const { stdout } = await promisify(execFile)('npx', command, { env, timeout: 120_000 });
    return createRequire(resolve(stdout.split(':')[0] as string, '..', 'x.js'));
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return undefined;
  }
}

/** `space` is another table, or another set of objects. */
function harnessOf(open: (space: 'own' | 'other') => RecordStore, close: () => Promise<void>): StoreHarness {
  return {
    open: ({ space = 'own' as const } = {}) => createStore(open(space)),
    pass: (ms) => sleep(ms),
    // What DynamoDB takes at most for one item; an accented letter takes six characters.
    longestBody: 60_000,
    close,
  };
}

// workerd needs its own binary, which comes as a package.
const miniflare = await fromNpx('miniflare@4');
// Of a version that runs on Node 20, which a later one may leave behind.
const AWS_SDK = '3.1162.0';
const dynamo = await fromNpx(
  'dynalite@4',
  `@aws-sdk/client-dynamodb@${AWS_SDK}`,
  `@aws-sdk/lib-dynamodb@${AWS_SDK}`,
);

if (miniflare === undefined) describe.skip('D1 and Durable Objects: there is no miniflare', () => it('runs'));
else testInWorkerd(miniflare('miniflare').Miniflare);

if (dynamo === undefined) describe.skip('DynamoDB: there is no dynalite', () => it('runs'));
else testDynamo(dynamo);

// biome-ignore lint/suspicious/noExplicitAny: the types of miniflare are not installed
function testInWorkerd(Miniflare: any): void {
  testStoreContract('D1', [], async () => {
    const server = new Miniflare({
      modules: true,
      script: await workerOf('examples/hono-workers/d1-records.ts', 'new program.D1Records(env[space])'),
      compatibilityDate: '2026-04-01',
      d1Databases: ['own', 'other'],
    });
    for (const space of ['own', 'other']) {
      const database = await server.getD1Database(space);
      for (const statement of d1Statements()) await database.prepare(statement).run();
    }
    const open = (space: string): RecordStore => ({
      read: (key) => call(server, space, 'read', key),
      write: (key, change) => call(server, space, 'write', key, change),
      list: (prefix, page) => call(server, space, 'list', prefix, page),
      deleteExpired: (limit) => call(server, space, 'deleteExpired', limit),
    });
    return harnessOf(open, () => server.dispose());
  });

  testStoreContract('Durable Objects', [], async () => {
    const server = new Miniflare({
      modules: true,
      script: await workerOf('examples/own-store/durable-objects.ts', 'program.durableRecords(env.RECORDS)'),
      compatibilityDate: '2026-04-01',
      durableObjects: { RECORDS: { className: 'Records', useSQLite: true } },
    });
    const open = (space: string): RecordStore => ({
      read: (key) => call(server, space, 'read', `${space}.${key}`),
      write: (key, change) => call(server, space, 'write', `${space}.${key}`, change),
      async list(prefix, { after, limit }) {
        const page = { ...(after !== undefined && { after: `${space}.${after}` }), limit };
        const listed: ListedRecord[] = await call(server, space, 'list', `${space}.${prefix}`, page);
        return listed.map(({ key, record }) => ({ key: key.slice(space.length + 1), record }));
      },
    });
    return harnessOf(open, () => server.dispose());
  });
}

/** The statements with which the example creates the store's table. */
function d1Statements(): string[] {
  const code = readFileSync('examples/hono-workers/dev.js', 'utf8');
  return [...code.matchAll(/'(CREATE [^']*\bpix_automatic\b[^']*)'/g)].map(([, statement = '']) => statement);
}

/** Calls a step of the records in the worker. In this process, miniflare's own calls of D1 fail on a busy machine. */
// biome-ignore lint/suspicious/noExplicitAny: the types of miniflare are not installed
async function call(server: any, ...step: unknown[]) {
  const response = await server.dispatchFetch('http://worker/', {
    method: 'POST',
    body: JSON.stringify(step),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** A worker with the program in it that carries out one step of its `records` for each request. */
async function workerOf(file: string, records: string): Promise<string> {
  const worker = `export * from './${file}';
import * as program from './${file}';
export default {
  async fetch(request, env) {
    const [space, step, ...values] = await request.json();
    return Response.json(await (${records})[step](...values));
  },
};`;
  const { outputFiles } = await build({
    stdin: { contents: worker, loader: 'ts', resolveDir: '.' },
    external: ['cloudflare:workers'],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
}

function testDynamo(require: NodeJS.Require): void {
  testStoreContract('DynamoDB', [], async () => {
    const server: Server = require('dynalite')({ createTableMs: 0 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { DynamoDB } = require('@aws-sdk/client-dynamodb');
    const { DynamoDBDocument } = require('@aws-sdk/lib-dynamodb');
    const client = new DynamoDB({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'sa-east-1',
      credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    });
    for (const TableName of ['own', 'other']) {
      await client.createTable({
        TableName,
        AttributeDefinitions: [
          { AttributeName: 'place', AttributeType: 'S' },
          { AttributeName: 'id', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'place', KeyType: 'HASH' },
          { AttributeName: 'id', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      });
      while ((await client.describeTable({ TableName })).Table.TableStatus !== 'ACTIVE') await sleep(50);
    }
    const document = DynamoDBDocument.from(client);
    const harness = harnessOf(
      (space) => new DynamoRecords(document, space),
      async () => {
        client.destroy();
        server.closeAllConnections();
        await promisify(server.close.bind(server))();
      },
    );
    // What expires is listed until the next whole second.
    return { ...harness, pass: (ms) => sleep(ms < 100 ? ms : ms + 1_000) };
  });
}
