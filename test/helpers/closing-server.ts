import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** A server that answers one request per connection, and closes the connection while its client’s process is busy. */
export interface ClosingServer {
  readonly port: number;
  /**
   * Keeps this process busy until the server has closed the connection of its last answer. After that, the kernel
   * knows that it is closed, and Node does not yet.
   */
  beBusyWhileItCloses(): Promise<void>;
  /** How many requests have arrived. */
  requests(): number;
  close(): Promise<void>;
}

/** Indexes of the counts: the times that this process was busy, the closed connections, the requests. */
const BUSY = 0;
const CLOSED = 1;
const REQUESTS = 2;

/** Runs in a worker thread, because the main thread will be busy. */
const PROGRAM = `
  const { parentPort, workerData: { answer, counts } } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      Atomics.add(counts, ${REQUESTS}, 1);
      socket.write(answer);
      const closeOnceBusy = () => {
        if (Atomics.load(counts, ${BUSY}) <= Atomics.load(counts, ${CLOSED})) return setTimeout(closeOnceBusy, 1);
        socket.end(() => {
          Atomics.add(counts, ${CLOSED}, 1);
          Atomics.notify(counts, ${CLOSED});
        });
      };
      closeOnceBusy();
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

/** @param answer - the whole response, as bytes on the wire */
export async function startClosingServer(answer: string): Promise<ClosingServer> {
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(PROGRAM, { eval: true, workerData: { answer, counts } });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    port,
    async beBusyWhileItCloses() {
      // Waits until the connection is back in the pool. An earlier call would open another connection, and prove
      // nothing.
      await sleep(10);
      const closed = Atomics.load(counts, CLOSED);
      Atomics.add(counts, BUSY, 1);
      Atomics.wait(counts, CLOSED, closed, 5_000);
    },
    requests: () => Atomics.load(counts, REQUESTS),
    close: async () => void (await worker.terminate()),
  };
}
