import { operations } from '../../../client/support';
import { startClosingServer } from '../../../helpers/closing-server';
import { readAndWrite, success } from '../expectations';
import { type Fault, message, row, type World } from '../fault';

const ROUNDS = 30;

/** The fault that the service closes a kept-alive connection while the process is busy. */
export async function startBusyFaults(): Promise<{ faults: Fault[]; close(): Promise<void> }> {
  const servers = await Promise.all(
    operations.map(({ answer }) =>
      startClosingServer(message('200 OK', JSON.stringify(answer())).toString()),
    ),
  );
  const serverOf = (operation: World['operation']) => {
    const server = servers[operations.indexOf(operation)];
    if (server === undefined) throw new Error(`No server for ${operation.name}`);
    return server;
  };

  const act = async ({ call, operation }: World): Promise<unknown> => {
    const server = serverOf(operation);
    // A lost query is retried, so one round is enough. A POST or PUT must not be lost at all.
    const rounds = operation.method === 'GET' ? 1 : ROUNDS;
    let result: unknown;
    for (let round = 0; round < rounds; round += 1) {
      result = await call();
      await server.beBusyWhileItCloses();
    }
    if (server.requests() !== rounds) throw new Error(`${server.requests()} requests arrived of ${rounds}`);
    return result;
  };
  const fault: Fault = row(
    `kept-alive connection that was closed while the process was busy, ${ROUNDS} times`,
    readAndWrite({ ...success(), requests: 0 }, { ...success(ROUNDS), requests: 0 }),
    {
      url: (_server, _scheme, operation) => `http://127.0.0.1:${serverOf(operation).port}`,
      act,
      lasting: true,
    },
  );
  return {
    faults: [fault],
    close: async () => void (await Promise.all(servers.map((each) => each.close()))),
  };
}
