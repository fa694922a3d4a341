import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { onTestFinished } from 'vitest';
import { type ReceivedRequest, type Respond, startHttpServer } from '../helpers/http-server';

export const credentials = { apiKey: 'merchant-api-key', apiToken: 'merchant-api-token' };

export const headers = {
  'x-api-key': credentials.apiKey,
  'x-api-token': credentials.apiToken,
  'content-type': 'application/json',
};

export const order = {
  currency: 'BRL',
  referenceCode: 'order-1',
  amount: 59.7,
  maxAge: 30,
  callbackURL: 'https://merchant.example/updates',
  shopper: {
    id: 'shopper-1',
    email: 'ana@example.com',
    name: 'Ana Maria de Souza',
    document: { type: 'CPF', number: '12345678909' },
    phone: { type: 'MOBILE', number: '11999990000' },
  },
  recurrence: {
    planId: 'plan-1',
    immediatePayment: true,
    amount: { recurrenceAmount: 29.9 },
    calendar: { initialDate: '2031-01-31', finalDate: '2031-12-31', periodicity: 'MONTHLY' },
    retry: true,
  },
};

/** A sandbox of the document alone, which closes when its test ends. `recurrence/` has the tests of the public pages. */
export async function openSandbox(options: SandboxOptions = {}) {
  const inventions = { recurrenceEvents: 'none' as const, ...options.inventions };
  const sandbox = await startSandbox({ credentials, retryIntervalMs: 50, ...options, inventions });
  onTestFinished(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown, init: RequestInit = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(sandbox.url + path, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
      ...init,
    });
  };
  const create = async (request: object = order) => {
    const answer = await call('POST', '/v1.1/checkout/pix-automatic', request);
    return (await readJson(answer)).response;
  };
  const query = async (uuid: string) => readJson(await call('GET', `/v1.1/transactions/${uuid}`));
  return { sandbox, call, create, query };
}

/** A sandbox with one journey. */
export async function openJourney(options: SandboxOptions = {}, request: object = order) {
  const opened = await openSandbox(options);
  const journey = await opened.create(request);
  const uuid: string = journey.uuid;
  return { ...opened, journey, uuid };
}

/** A sandbox with one journey that is paid. */
export async function openPaid(options: SandboxOptions = {}) {
  const opened = await openJourney(options);
  const payments = opened.sandbox.pay(opened.uuid).map(({ instructionId }) => instructionId);
  return { ...opened, payments };
}

/** Reads a body without a type, because the tests check what is in it. */
export async function readJson(answer: Response) {
  return JSON.parse(await answer.text());
}

export type Received = Omit<ReceivedRequest, 'at'>;

/** A merchant’s listener that keeps its requests, and closes when its test ends. */
export async function openListener(answer: Respond = (response) => response.end()) {
  const { url, requests: received } = await startHttpServer(answer);
  return { url: `${url}/hooks`, received };
}
