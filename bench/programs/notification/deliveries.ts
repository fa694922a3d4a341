import { createHmac } from 'node:crypto';
import { fixtures, notificationRequest } from 'pix-automatic-sdk/testing';

export const credentials = { apiKey: 'key-of-a-merchant', apiToken: 'token-5f2b8c1e9a4d' };
export const stripeSecret = 'a-secret-of-a-webhook';

/** A notification as it arrives, with the signature that stripe expects. */
export interface Delivery<Body = string> {
  readonly kind: keyof typeof KINDS;
  readonly url: string;
  readonly body: Body;
  readonly authorization: string;
  readonly stripeSignature: string;
}

/** Every documented kind, as the document shows it: its refund has the receipt `"null"`. */
const KINDS = {
  payment: fixtures.payment,
  saleStatus: fixtures.saleStatus,
  reversal: fixtures.reversal,
  refund: () => fixtures.refund({ receipt: 'null' }),
  payout: fixtures.payout,
  failedPayout: fixtures.failedPayout,
};
export const kindNames = Object.keys(KINDS) as Delivery['kind'][];
const OF_EACH_KIND = 16;

/** Several of each kind, all of them new strings: an engine caches facts about a string. */
export function deliveries(): Delivery[] {
  return Array.from({ length: OF_EACH_KIND }, () => kindNames.map(deliver)).flat();
}

/** The same deliveries with a wrong token, as long as the right one. */
export function forged(given: readonly Delivery[]): Delivery[] {
  const password = `${credentials.apiToken.slice(0, -1)}e`;
  return given.map((delivery) => ({ ...delivery, authorization: basic(credentials.apiKey, password) }));
}

function deliver(kind: Delivery['kind']): Delivery {
  const body = JSON.stringify(KINDS[kind]());
  const { pathname, search } = new URL(notificationRequest(kind, {}, credentials).url);
  const seconds = Math.floor(Date.now() / 1000);
  return {
    kind,
    url: fresh(pathname + search),
    body: fresh(body),
    authorization: basic(credentials.apiKey, credentials.apiToken),
    stripeSignature: `t=${seconds},v1=${createHmac('sha256', stripeSecret).update(`${seconds}.${body}`).digest('hex')}`,
  };
}

function basic(user: string, password: string): string {
  return fresh(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
}

/** Returns a new string that is contiguous in memory, like one from the network. */
function fresh(text: string): string {
  return Buffer.from(text).toString();
}
