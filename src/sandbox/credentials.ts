import type { Credentials } from '../service/credentials';
import { basicAuthorization } from '../webhooks/authorization';

/** The default pair. Everybody knows it, so it is no secret. */
export const defaultCredentials: Credentials = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };

export function isDefaultPair({ apiKey, apiToken }: Credentials): boolean {
  return apiKey === defaultCredentials.apiKey && apiToken === defaultCredentials.apiToken;
}

/** Shorter secrets are placeholders such as `k`. Blanking those would blank half of every URL. */
export const SHORTEST_SECRET = 6;

/**
 * Blanks the credentials in a text: plain, percent-encoded, and as the Base64 pair that notifications carry. Of a text
 * that was cut, the end is blanked too if it is the beginning of a secret.
 */
export function redactor(credentials: Credentials): (text: string, isCut?: boolean) => string {
  const { apiKey, apiToken } = credentials;
  const pair = basicAuthorization(credentials).slice('Basic '.length);
  const secrets = [apiKey, apiToken]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const all = [pair, ...secrets];
  return (text, isCut = false) => {
    const shown = all.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
    return isCut ? all.reduce(withoutStartAtEnd, shown) : shown;
  };
}

/** A text without the beginning of a secret at its end. */
function withoutStartAtEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}***`;
  }
  return text;
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
