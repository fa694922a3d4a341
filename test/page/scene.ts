import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SandboxOptions } from 'pix-automatic-sdk/sandbox';
import type { Verify } from '../../src/sandbox/page/page-state';
import { startSandboxWith } from '../../src/sandbox/start-sandbox';

const order = {
  currency: 'BRL',
  referenceCode: 'order-1001',
  amount: 59.7,
  shopper: { id: 'shopper-7', name: 'Ana Maria de Souza', email: 'ana@example.com' },
  recurrence: {
    immediatePayment: true,
    amount: { recurrenceAmount: 29.9 },
    calendar: { initialDate: '2031-01-31', finalDate: '2031-12-31', periodicity: 'MONTHLY' },
  },
};

/** A sandbox, a listener and a client, like a developer’s. */
export async function openScene(options: SandboxOptions = {}, verify?: Verify) {
  const received: string[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(body);
    response.writeHead(status).end(status === 200 ? 'ok' : '{"message":"database is down"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  // Of the document alone: `recurrence.page.ts` has the events.
  const inventions = { recurrenceEvents: 'none' as const, ...options.inventions };
  const sandbox = await startSandboxWith({ webhookUrl, ...options, inventions }, { verify });
  const { apiKey, apiToken } = sandbox.credentials;
  const headers = { 'x-api-key': apiKey, 'x-api-token': apiToken, 'content-type': 'application/json' };

  const call = (method: string, path: string, body?: object) =>
    fetch(sandbox.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  return {
    sandbox,
    webhookUrl,
    received,
    /** Sets the status of the listener’s answers from now on. */
    answerWith(next: number) {
      status = next;
    },
    call,
    async create(changes: object = {}): Promise<string> {
      const answer = await call('POST', '/v1.1/checkout/pix-automatic', { ...order, ...changes });
      const { response } = (await answer.json()) as { response: { uuid: string } };
      return response.uuid;
    },
    async close() {
      await sandbox.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
