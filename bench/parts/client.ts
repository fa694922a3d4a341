import { fixtures } from 'pix-automatic-sdk/testing';
import { interleave, type Samples } from '../lib/interleave';
import { atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { startProgram } from '../lib/programs';
import { ratioTo } from '../lib/statistics';
import { samplesTable, type Table, times } from '../lib/table';
import { type ClientName, TRANSACTION } from '../programs/client/clients';
import { type Caller, type Measure, startCaller } from './client/caller';

const NODES = [20, 24];
const ROUNDS = 7;
const CALLS = 400;
const WARM_UP = 2400;
const OPERATIONS = ['get', 'post'] as const;
const NAMES: readonly ClientName[] = [
  'this library',
  'this library, undici.request',
  'ky().json(zod schema)',
  'openai',
  'stripe',
];

interface Service {
  readonly url: string;
  readonly sizes: Readonly<Record<'request' | 'transaction' | 'journey', number>>;
}

/** CPU time per call, in the process of the client. */
export async function client({ random }: BenchContext): Promise<PartReport> {
  const service = await startProgram<Service>('client-service');
  const tables: Table[] = [];
  const goals: Goal[] = [];
  for (const node of NODES) {
    const { version, samples } = await measure(service.ready.url, node, random);
    for (const operation of OPERATIONS) {
      const what = `${operation.toUpperCase()} on Node ${version}`;
      tables.push(tableOf(what, samples[operation]));
      goals.push(...goalsOf(operation, what, samples[operation]));
    }
  }
  await service.stop();

  const { request, transaction, journey } = service.ready.sizes;
  return {
    tables,
    goals,
    notes: [
      `64 calls in flight over loopback, the service in a process of its own and each client too, ${ROUNDS} rounds of ${CALLS} calls each. ` +
        `A GET answers ${transaction} bytes. A POST sends ${request} and answers ${journey}, most of it the QR code's image. ` +
        'This library, ky and openai’s client keep connections for a GET, and open one for each POST (`connection: close`); stripe keeps its own. ' +
        'Neither openai’s client nor stripe validates answers, and only this library validates requests.',
    ],
  };
}

type ByClient = Samples<ClientName>;

async function measure(service: string, node: number, random: () => number) {
  const expected = [fixtures.transaction({ uuid: TRANSACTION }), fixtures.recurringCheckout()];
  const callers: Caller[] = [];
  const candidates: Record<string, () => Promise<number>> = {};
  for (const name of NAMES) {
    const caller = await startCaller({ name, service }, node, expected);
    callers.push(caller);
    for (const operation of OPERATIONS) {
      await caller.measure({ operation, calls: WARM_UP });
      candidates[operation + name] = () => caller.measure({ operation, calls: CALLS });
    }
  }
  const samples = await interleave(candidates, { rounds: ROUNDS, random });
  await Promise.all(callers.map(({ stop }) => stop()));

  const of = (operation: Measure['operation']) =>
    Object.fromEntries(NAMES.map((name) => [name, samples[operation + name]])) as ByClient;
  return { version: callers[0]?.version, samples: { get: of('get'), post: of('post') } };
}

function tableOf(what: string, samples: ByClient): Table {
  return samplesTable(`${what}: CPU a call`, samples, {
    unit: 'µs',
    baseline: 'ky().json(zod schema)',
    format: (microseconds) => microseconds.toFixed(0),
  });
}

function goalsOf(operation: string, what: string, samples: ByClient): Goal[] {
  const how = operation === 'post' ? ' with connection: close' : '';
  const toKy = ratioTo(samples['ky().json(zod schema)'], samples['this library']);
  const toOpenAI = ratioTo(samples.openai, samples['this library']);
  return [
    atMost(`${what}, of ky().json(zod schema)${how}`, toKy, 1.3, times),
    atMost(`${what}, of openai’s client${how}`, toOpenAI, 1, times),
  ];
}
