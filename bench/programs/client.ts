// The CPU time per call of one client, with nothing else in its process. Measures on each message.

import { programInput } from '../lib/program-input';
import type { Measure } from '../parts/client/caller';
import { type Client, type ClientName, clients } from './client/clients';

const IN_FLIGHT = 64;

const { name, service } = programInput<{ name: ClientName; service: string }>();
const client: Client = await clients[name](service);

process.on('message', async ({ operation, calls }: Measure) => {
  const before = process.cpuUsage();
  let begun = 0;
  const caller = async () => {
    while (begun < calls) {
      begun += 1;
      await client[operation]();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  const { user, system } = process.cpuUsage(before);
  process.send?.((user + system) / calls);
});
process.send?.({ version: process.versions.node, answers: [await client.get(), await client.post()] });
