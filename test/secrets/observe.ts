import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import pino from 'pino';
import { marksIn } from './marks';

/** A way to look at a value, as loggers, crash reporters and debuggers do. */
type View = (value: unknown) => unknown;

const all = { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null } as const;

const views: Readonly<Record<string, View>> = {
  inspect: (value) => inspect(value),
  'inspect, hidden properties': (value) => inspect(value, { ...all, showProxy: true }),
  String: (value) => String(value),
  JSON: (value) => JSON.stringify(value),
  'JSON of all own properties': (value) => JSON.stringify(value, Object.getOwnPropertyNames(Object(value))),
  'own property descriptors': (value) => inspect(Object.getOwnPropertyDescriptors(Object(value)), all),
  'message, stack and causes': chain,
  structuredClone: (value) => inspect(cloneOf(value), all),
  console: printed,
  pino: logged,
  'process.report': reported,
};

export interface Observation {
  readonly view: string;
  readonly marks: readonly string[];
}

/** Every view of a value, with the marks found in it. */
export function observe(value: unknown): Observation[] {
  return Object.entries(views).map(([view, look]) => ({ view, marks: marksIn(String(look(value))) }));
}

function chain(value: unknown): string {
  const parts: unknown[] = [];
  for (let error = value, depth = 0; error instanceof Error && depth < 10; error = error.cause, depth += 1) {
    parts.push(error.name, error.message, error.stack, error.toString());
    if (error instanceof AggregateError) parts.push(...error.errors.map(chain));
  }
  return parts.join('\n');
}

/** The value as a worker would receive it; `undefined` if it cannot be cloned, as a function cannot. */
function cloneOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

function printed(value: unknown): string {
  const { stream, text } = collector();
  const logger = new Console({ stdout: stream, stderr: stream, inspectOptions: { depth: 12 } });
  logger.error(value);
  logger.log('%s %o %O %j', value, value, value, value);
  logger.dir(value, { showHidden: true, depth: 12 });
  logger.table([value]);
  return text();
}

function logged(value: unknown): string {
  const { stream, text } = collector();
  const logger = pino({ level: 'trace' }, stream);
  logger.error(value as object);
  logger.error({ err: value, error: value }, 'failed: %o', value as object);
  logger.child({ value }).info('%j', value as object);
  return text();
}

function collector() {
  const stream = new PassThrough();
  return { stream, text: () => String(stream.read() ?? '') };
}

/**
 * Node's diagnostic report about an error. Leaves out the environment, which holds credentials for `fromEnv` on
 * purpose, and the command line, libraries and network interfaces, which belong to the machine.
 */
function reported(value: unknown): string {
  const error = value instanceof Error ? value : undefined;
  const report = (process.report as NodeJS.ProcessReport).getReport(error);
  return JSON.stringify(
    ['javascriptStack', 'javascriptHeap', 'libuv', 'workers'].map((part) => Reflect.get(report, part)),
  );
}
