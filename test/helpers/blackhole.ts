import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A loopback port that neither accepts nor refuses connections. */
export interface Blackhole {
  readonly port: number;
  close(): Promise<void>;
}

const FILLERS = 20;

/**
 * A listening socket whose queue is full: a thread listens, and then sleeps for ever instead of accepting. The kernel
 * still accepts as many connections as the queue holds, and drops later ones, like a dead network.
 */
export async function startBlackhole(): Promise<Blackhole> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  const [port] = (await once(worker, 'message')) as [number];
  const fillers: Socket[] = [];
  while (fillers.length < FILLERS) {
    const filler = connect(port, '127.0.0.1');
    filler.on('error', () => undefined);
    fillers.push(filler);
    const taken = await Promise.race([
      once(filler, 'connect').then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, 500, false)),
    ]);
    if (!taken) break;
  }
  return {
    port,
    async close() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
