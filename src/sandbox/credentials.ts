import { type Credentials, spellingsOf } from '../service/credentials';
import { basicAuthorization } from '../webhooks/authorization';

/** The default pair. Everybody knows it, so it is no secret. */
export const defaultCredentials: Credentials = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };

export function isDefaultPair({ apiKey, apiToken }: Credentials): boolean {
  return apiKey === defaultCredentials.apiKey && apiToken === defaultCredentials.apiToken;
}

/** Shorter secrets are placeholders such as `k`. Blanking those would blank half of every URL. */
export const SHORTEST_SECRET = 6;

/**
 * Blanks the credentials in a text, in upper or lower case: plain, percent-encoded, and as the Base64 pair that
 * notifications carry, padded or not. Of a text that was cut, the end is blanked too if it is the beginning of a secret;
 * white space may come after it.
 */
export function redactor(credentials: Credentials): (text: string, isCut?: boolean) => string {
  const { apiKey, apiToken } = credentials;
  const pair = basicAuthorization(credentials).slice('Basic '.length);
  const unpadded = pair.replaceAll('=', '');
  const secrets = [apiKey, apiToken].filter((secret) => secret.length >= SHORTEST_SECRET);
  const whole = [pair, unpadded, ...secrets].map(spellingsOf);
  const encodings = [pair, ...secrets].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    String(new URLSearchParams({ '': secret })).slice(1),
  ]);
  return (text, isCut = false) => {
    const shown = whole.reduce((rest, secret) => rest.replace(secret, '***'), text);
    if (!isCut) return shown;
    const end = shown.trimEnd();
    const length = Math.max(...encodings.map((secret) => lengthOfStartAtEnd(end, secret)));
    return length === 0 ? shown : `${end.slice(0, -length)}***`;
  };
}

/** How many characters at the end of a text are the beginning of a secret. */
function lengthOfStartAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length, text.length); length > 0; length--) {
    if (text.slice(-length).toLowerCase() === secret.slice(0, length).toLowerCase()) return length;
  }
  return 0;
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
