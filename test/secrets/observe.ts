import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import pino from 'pino';
import { marksIn } from './marks';

/** A way to look at a value, as loggers, crash reporters and debuggers do. */
type View = (value: unknown) => unknown;

const views: Readonly<Record<string, View>> = {
  inspect: (value) => inspect(value),
  'inspect, hidden properties': (value) =>
    inspect(value, {
      depth: 12,
      showHidden: true,
      showProxy: true,
      maxStringLength: null,
      maxArrayLength: null,
    }),
  String: (value) => String(value),
  JSON: (value) => JSON.stringify(value),
  'JSON of all own properties': (value) => JSON.stringify(value, Object.getOwnPropertyNames(Object(value))),
  'own property descriptors': (value) =>
    inspect(Object.getOwnPropertyDescriptors(Object(value)), { depth: 12, showHidden: true }),
  'message, stack and causes': chain,
  structuredClone: (value) => inspect(cloneOf(value), { depth: 12, showHidden: true }),
  console: printed,
  pino: logged,
  'process.report': reported,
};

export interface Observation {
  readonly view: string;
  readonly marks: readonly string[];
}

/** Everything that can be seen of a value, and the marks in it. */
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

/** What goes to a worker or is stored; functions cannot. */
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
 * What Node writes when a process ends by this error. Without the environment, where credentials for `fromEnv` are
 * on purpose, and without the command line, the libraries and the interfaces, which are the machine's.
 */
function reported(value: unknown): string {
  const error = value instanceof Error ? value : undefined;
  const report = (process.report as NodeJS.ProcessReport).getReport(error) as unknown as Record<
    string,
    unknown
  >;
  return JSON.stringify([
    report['javascriptStack'],
    report['javascriptHeap'],
    report['libuv'],
    report['workers'],
  ]);
}
