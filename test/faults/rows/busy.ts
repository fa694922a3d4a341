import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { cancellationAnswer, checkoutAnswer, transactionAnswer } from '../../client/support';
import { every, success } from '../expectations';
import { type Fault, message, type World } from '../fault';

const ROUNDS = 30;

/** Where the thread counts: the connections that it has closed, and the requests that it has seen. */
const CLOSED = 0;
const REQUESTS = 1;

/** Answers one request on each connection and closes it, while the process that called does something else. */
const PROGRAM = `
  const { parentPort, workerData: { answers, counts } } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const method = request.toString().split(' ')[0];
      Atomics.add(counts[method], ${REQUESTS}, 1);
      socket.write(answers[method]);
      setTimeout(() => socket.end(() => {
        Atomics.add(counts[method], ${CLOSED}, 1);
        Atomics.notify(counts[method], ${CLOSED});
      }), 5);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

/** The faults of a process that was busy when the service closed a connection it had kept: it has not heard of that yet. */
export async function startBusyFaults(): Promise<{ faults: Fault[]; close(): Promise<void> }> {
  const counter = () => new Int32Array(new SharedArrayBuffer(8));
  const counts = { GET: counter(), POST: counter(), PUT: counter() };
  const answers = {
    GET: message('200 OK', JSON.stringify(transactionAnswer())).toString(),
    POST: message('200 OK', JSON.stringify(checkoutAnswer())).toString(),
    PUT: message('200 OK', JSON.stringify(cancellationAnswer())).toString(),
  };
  const worker = new Worker(PROGRAM, { eval: true, workerData: { answers, counts } });
  const [port] = (await once(worker, 'message')) as [number];

  /** One after the other, each right after the process was busy until the service had closed the connection. */
  const act = async ({ call, operation }: World): Promise<unknown> => {
    const count = counts[operation.method];
    let result: unknown;
    for (let round = 0; round < ROUNDS; round += 1) {
      result = await call();
      Atomics.wait(count, CLOSED, round, 5_000);
    }
    const requests = Atomics.load(count, REQUESTS);
    // A query is tried again, so that it may be seen once more; the row is about the others.
    if (operation.method !== 'GET' && requests !== ROUNDS) throw new Error(`${requests} requests arrived`);
    return result;
  };
  const fault: Fault = {
    name: `kept connection that was closed while the process was busy, ${ROUNDS} times`,
    url: () => `http://127.0.0.1:${port}`,
    act,
    expected: every({ ...success(ROUNDS), requests: 0 }),
    lasting: true,
  };
  return { faults: [fault], close: async () => void (await worker.terminate()) };
}
