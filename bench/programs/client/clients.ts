import { PaymentsClient, type PaymentsClientOptions } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import type { Ky, OpenAI, Stripe, Undici } from './peers';
import { undiciFetch } from './undici-fetch';
import { recurringCheckout, transaction } from './zod-schemas';

/** One call for a transaction and one for a new journey. Each returns the answer as an object. */
export interface Client {
  readonly get: () => Promise<unknown>;
  readonly post: () => Promise<unknown>;
}

export type ClientName = keyof typeof clients;

/** The transaction that the service has. */
export const TRANSACTION = '7d1f2a90-3c54-4c8e-9a55-5f3f1c0f6a11';
const request = fixtures.recurringCheckoutRequest();
const credentials = { 'x-api-key': 'benchmark-key', 'x-api-token': 'benchmark-token' };
const headers = { accept: 'application/json', ...credentials };
// As this library sends a POST, so that both sides open a connection for it. Queries keep theirs on both sides.
const ownConnection = { headers: { ...headers, connection: 'close' } };

function ours(service: string, fetch?: PaymentsClientOptions['fetch']): Client {
  const apiKey = credentials['x-api-key'];
  const apiToken = credentials['x-api-token'];
  const client = new PaymentsClient({ baseUrl: service, apiKey, apiToken, fetch });
  return {
    get: () => client.getTransaction(TRANSACTION),
    post: () => client.createRecurringCheckout(request),
  };
}

/** Each client as its documentation sets it up, with its defaults. */
export const clients = {
  'this library': async (service: string) => ours(service),

  'this library, undici.request': async (service: string) =>
    ours(service, undiciFetch(await load<Undici>('undici'))),

  'ky().json(zod schema)': async (service: string) => {
    const { default: ky } = await load<Ky>('ky');
    const get = `${service}/v1.1/transactions/${TRANSACTION}`;
    const post = `${service}/v1.1/checkout/pix-automatic`;
    return {
      get: () => ky.get(get, { headers }).json(transaction),
      post: () => ky.post(post, { ...ownConnection, json: request }).json(recurringCheckout),
    };
  },

  openai: async (service: string) => {
    const { default: OpenAI } = await load<OpenAI>('openai');
    const openai = new OpenAI({ apiKey: 'key', baseURL: service, defaultHeaders: headers });
    return {
      get: () => openai.get(`/v1.1/transactions/${TRANSACTION}`),
      post: () => openai.post('/v1.1/checkout/pix-automatic', { ...ownConnection, body: request }),
    };
  },

  /** Sends forms instead of JSON. */
  stripe: async (service: string) => {
    const { default: Stripe } = await load<Stripe>('stripe');
    const { hostname, port } = new URL(service);
    const { customers } = new Stripe('sk_test_1', { host: hostname, port, protocol: 'http' });
    return { get: () => customers.retrieve(TRANSACTION), post: () => customers.create(request) };
  },
} satisfies Record<string, (service: string) => Promise<Client>>;

/** Imports by a variable, so that the type check does not need the module. */
function load<Module>(name: string): Promise<Module> {
  return import(name);
}
