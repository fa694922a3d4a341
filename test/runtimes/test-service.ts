import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSelfSigned } from '../helpers/certificates';

/** The servers that a runtime’s checks call. */
export interface TestService {
  /**
   * Without a trailing slash. `{service}/{id}/{script}/v1.1/…` answers as the script says, with one word per request:
   * a status, `ok`, `close`, `reset`, `redirect`, `stall`, `silence` or `endless`. The last word also answers all
   * later requests. `{service}/seen/{id}` returns the requests of an id; the id `elsewhere` has those of the
   * redirect’s target.
   */
  readonly service: string;
  /** An origin on which nothing listens. */
  readonly refused: string;
  /** An origin with a certificate that no client trusts. */
  readonly untrusted: string;
  close(): Promise<void>;
}

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const uuid = '0b9c5a7e-1f0a-4f2e-9a53-6d2f0c1b2a3d';

/** The document’s success bodies, with the fields that the checks need. */
const answers: Readonly<Record<string, object>> = {
  GET: { status: 0, message: 'success', situation: 'PAID' },
  POST: { status: 0, message: 'success', response: { uuid, instructions: { qrCode: { plain: '000201' } } } },
  PUT: { status: 0, message: 'success' },
};

export async function startTestService(): Promise<TestService> {
  const seen = new Map<string, Seen[]>([['elsewhere', []]]);
  const see = async (id: string, path: string, request: IncomingMessage): Promise<number> => {
    const { method = '', headers } = request;
    const requests = seen.get(id) ?? [];
    seen.set(id, requests);
    const place = requests.push({ method, path, headers, body: '' }) - 1;
    requests[place] = { method, path, headers, body: await text(request) };
    return place;
  };

  const elsewhere = createServer(async (request, response) => {
    await see('elsewhere', request.url ?? '', request);
    response.end('{}');
  });
  const elsewhereUrl = await listen(elsewhere);
  const main = createServer(async (request, response) => {
    const [, id = '', script = '', path = ''] = /^\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.url ?? '') ?? [];
    if (id === 'seen') return response.end(JSON.stringify(seen.get(script) ?? []));
    const steps = script.split('.');
    const place = await see(id, path, request);
    return answer(steps[Math.min(place, steps.length - 1)] ?? '', request, response, elsewhereUrl);
  });
  const untrusted = createTlsServer(await createSelfSigned(), (_, response) => response.end('{}'));
  const nobody = createServer();
  const refused = await listen(nobody);
  await close(nobody);
  const urls = { service: await listen(main), refused, untrusted: await listen(untrusted, 'https') };
  return {
    ...urls,
    async close() {
      await Promise.all([main, elsewhere, untrusted].map(close));
    },
  };
}

function answer(
  step: string,
  request: IncomingMessage,
  response: ServerResponse,
  elsewhere: string,
): unknown {
  response.on('error', () => undefined);
  const json = { 'content-type': 'application/json' };
  switch (step) {
    case 'ok':
      return response
        .writeHead(200, json)
        .end(JSON.stringify({ ...answers[request.method ?? ''], ...asked(request) }));
    case 'close':
      return request.socket.destroy();
    case 'reset':
      return request.socket.resetAndDestroy();
    case 'redirect':
      return response.writeHead(307, { location: `${elsewhere}/stolen` }).end();
    case 'stall':
      return response.writeHead(200, json).write('{"status":0,');
    case 'silence':
      return undefined;
    case 'endless':
      return sendForEver(response.writeHead(200, json));
    default:
      return response
        .writeHead(Number(step), { ...json, 'retry-after': '0' })
        .end(JSON.stringify({ status: -1, message: 'no' }));
  }
}

/** A query is answered about the transaction that it names. */
function asked({ method, url = '' }: IncomingMessage): object {
  return method === 'GET' ? { uuid: decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)) } : {};
}

function sendForEver(response: ServerResponse): void {
  const chunk = Buffer.alloc(16_384, ' ');
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', send);
  send();
}

async function listen(server: Server, scheme = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
