import type { Credentials } from '../service/credentials';
import { basicAuthorization } from '../webhooks/authorization';

/** The default pair. Everybody knows it, so it is no secret. */
export const defaultCredentials: Credentials = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };

export function isDefaultPair({ apiKey, apiToken }: Credentials): boolean {
  return apiKey === defaultCredentials.apiKey && apiToken === defaultCredentials.apiToken;
}

/** Shorter secrets are placeholders such as `k`. Blanking those would blank half of every URL. */
const SHORTEST_SECRET = 6;

/** Blanks the credentials in a text: plain, percent-encoded, and as the Base64 pair that notifications carry. */
export function redactor(credentials: Credentials): (text: string) => string {
  const { apiKey, apiToken } = credentials;
  const secrets = [apiKey, apiToken]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const pair = basicAuthorization(credentials).slice('Basic '.length);
  return (text) => [pair, ...secrets].reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** Blanks the credentials in parsed JSON, in keys, strings and numbers: blanking its text could break the JSON. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [redact(key), redactJson(item, redact)]);
    return Object.fromEntries(entries);
  }
  if (typeof value === 'string') return redact(value);
  const text = String(value);
  return redact(text) === text ? value : redact(text);
}
