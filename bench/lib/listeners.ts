import { once } from 'node:events';
import type { ListenerInput, LoadRequest, LoadResult } from '../programs/load/messages';
import { startProgram } from './programs';

/** One measurement of a listener under load. */
export interface Load extends LoadResult {
  /** CPU time of the listener's process, in microseconds per request. Other work on the machine hardly changes it. */
  readonly processor: number;
}

export type Ask = Omit<LoadRequest, 'port'>;

/** Starts one sending process, and any number of listeners. Only two work at a time, so two cores are enough. */
export async function startSender() {
  const sender = await startProgram('sender');
  const stops = [sender.stop];
  return {
    /** Starts a listener. Returns a function that puts load on it. */
    async listen(input: ListenerInput): Promise<(ask: Ask) => Promise<Load>> {
      const { ready, process, stop } = await startProgram<{ port: number }>('listener', { input });
      stops.push(stop);
      const used = async () => {
        process.send('usage');
        const [{ user, system }] = await once(process, 'message');
        return user + system;
      };
      return async (ask) => {
        const before = await used();
        sender.process.send({ ...ask, port: ready.port });
        const [result]: LoadResult[] = await once(sender.process, 'message');
        if (result === undefined) throw new Error('The sender gave no result.');
        return { ...result, processor: ((await used()) - before) / result.requests };
      };
    },
    stop: () => Promise.all(stops.map((stop) => stop())),
  };
}
