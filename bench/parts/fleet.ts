import { CREDENTIALS, type Load, startSender } from '../lib/listeners';
import type { PartReport } from '../lib/part';
import { median } from '../lib/statistics';
import type { Table } from '../lib/table';
import { type FleetListener, type StoreKind, serverOf } from './fleet/servers';
import { bytesAKey } from './stores/figures';

const WANTED = 10_000;
const BUSY = 0.7;
const ROUNDS = 3;
const ASK = { connections: 64, milliseconds: 1500, subjects: 'new', bodyBytes: 0 } as const;
const DAY_S = 86_400;

interface Row {
  readonly name: string;
  readonly kind: StoreKind;
  /** The name of these keys in the part `stores`. */
  readonly keys: string;
  readonly roundTrips: number;
}

const ROWS: readonly Row[] = [
  { name: 'Redis', kind: 'redis', keys: 'Redis', roundTrips: 2 },
  { name: 'PostgreSQL', kind: 'postgres', keys: 'PostgreSQL', roundTrips: 2 },
  { name: 'PostgreSQL, transactional', kind: 'postgres-transactional', keys: 'PostgreSQL', roundTrips: 5 },
];

/** CPU time in microseconds per notification, in the listener and in its store's server. */
interface Cost {
  readonly perSecond: number;
  readonly listener: number;
  readonly server: number;
}

/** Estimates what 10,000 notifications per second would need, from the cost of one listener and its store. */
export async function fleet(): Promise<PartReport> {
  const costs: (readonly [Row, Cost])[] = [];
  const absent: string[] = [];
  for (const row of ROWS) {
    const cost = await measure(row.kind);
    if (cost === undefined) absent.push(row.name);
    else costs.push([row, cost]);
  }
  return {
    tables: [
      {
        title: `For ${WANTED.toLocaleString('en')} notifications/s, by what one listener takes here`,
        columns: [
          '',
          'measured here, /s',
          'listener, µs CPU',
          'server, µs CPU',
          'listener processes',
          'server cores',
          'round trips/s',
        ],
        rows: costs.map(([{ name, roundTrips }, { perSecond, listener, server }]) => [
          name,
          perSecond.toFixed(0),
          listener.toFixed(0),
          Number.isNaN(server) ? 'not seen' : server.toFixed(0),
          String(cores(listener)),
          Number.isNaN(server) ? '–' : String(cores(server)),
          (roundTrips * WANTED).toLocaleString('en'),
        ]),
      },
      ...(bytesAKey.size === 0 ? [] : [keysTable()]),
    ],
    notes: [
      ...absent.map((name) => `NOT MEASURED: the server of ${name} does not answer.`),
      ...(bytesAKey.size === 0 ? ['The bytes a key are measured by `stores`: run it with this part.'] : []),
      `An estimate. It takes for granted that cost grows with the load, that each process is busy ${BUSY * 100} % of one core, that no notification comes twice, that callbacks take nothing, and that connections are kept, without TLS. ` +
        'One Redis works on one core, so more than one core is as many shards of a cluster; the log and the clean-up of PostgreSQL come on top. ' +
        'The service sends a notification again for some five minutes; the handler remembers for 30 days, which a store of your own around this one can shorten.',
    ],
  };
}

function keysTable(): Table {
  return {
    title: 'Keys that it remembers',
    columns: ['', 'bytes a key', 'for 1 hour', 'for 30 days'],
    rows: [...bytesAKey].map(([name, bytes]) => [
      name,
      bytes.toFixed(0),
      size(bytes, 3600),
      size(bytes, 30 * DAY_S),
    ]),
  };
}

async function measure(store: StoreKind): Promise<Cost | undefined> {
  const namespace = `pix_automatic_fleet_${process.pid}`;
  const server = await serverOf(store, namespace);
  if (server === undefined) return undefined;
  const sender = await startSender();
  try {
    const input: FleetListener = { store, namespace, credentials: [CREDENTIALS] };
    const load = await sender.listen(input as object, 'fleet-listener');
    await load(ASK);
    const loads: (Load & { readonly server: number })[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await server.cpu();
      const result = await load(ASK);
      loads.push({ ...result, server: ((await server.cpu()) - before) / result.requests });
    }
    const of = (key: 'perSecond' | 'processor' | 'server') => median(loads.map((each) => each[key]));
    return { perSecond: of('perSecond'), listener: of('processor'), server: of('server') };
  } finally {
    await sender.stop();
    await server.clean();
  }
}

function cores(microseconds: number): number {
  return Math.ceil((microseconds * WANTED) / 1e6 / BUSY);
}

function size(bytes: number, seconds: number): string {
  const gigabytes = (bytes * WANTED * seconds) / 1e9;
  return gigabytes < 1000 ? `${gigabytes.toFixed(1)} GB` : `${(gigabytes / 1000).toFixed(1)} TB`;
}
