import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the service does with one POST. */
export type Deed =
  | 'create'
  | 'create, then 504'
  | 'create, then reset'
  | 'refuse with 422'
  | 'create, then kill'
  | 'create, then wait';

/** The service, as far as journeys go: it counts what it was asked for and what exists. */
export async function startService() {
  const deeds = new Map<string, Deed[]>();
  const posts: string[] = [];
  const created: string[] = [];
  const held: (() => void)[] = [];

  const server = createServer(async (request, response) => {
    const { referenceCode } = (await json(request)) as { referenceCode: string };
    posts.push(referenceCode);
    const orderKey = [...deeds.keys()].find((key) => referenceCode.startsWith(key)) ?? '';
    const deed = deeds.get(orderKey)?.shift() ?? 'create';
    if (deed === 'refuse with 422') return answer(response, 422, { status: 1, message: 'no' });
    const uuid = randomUUID();
    created.push(`${referenceCode} ${uuid}`);
    const success = {
      status: 0,
      response: { uuid, referenceCode, instructions: { qrCode: { plain: `qr-${uuid}` } } },
    };
    if (deed === 'create, then 504') return answer(response, 504, {});
    if (deed === 'create, then reset') return request.socket.destroy();
    if (deed === 'create, then kill')
      return process.kill(Number(/\d+/.exec(String(request.headers['x-api-key']))), 'SIGKILL');
    if (deed === 'create, then wait') await new Promise<void>((resolve) => held.push(resolve));
    answer(response, 200, success);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What it does with the POSTs of an order, in turn; after that it creates. */
    plan: (orderKey: string, plan: readonly Deed[]) => deeds.set(orderKey, [...plan]),
    postsOf: (orderKey: string) => posts.filter((reference) => reference.startsWith(orderKey)),
    createdOf: (orderKey: string) => created.filter((journey) => journey.startsWith(orderKey)),
    isHolding: () => held.length > 0,
    letGo() {
      for (const resolve of held.splice(0)) resolve();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
