import type { Credentials } from '../schemas/credentials';
import { toBase64 } from './model/base64';

/** Shorter ones are stand-ins such as `k`, which would blank half of every URL. */
const SHORTEST_SECRET = 6;

/** Blanks the credentials wherever they are in a text: percent-encoded ones too, and the pair as notifications carry it. */
export function redactor({ apiKey, apiToken }: Credentials): (text: string) => string {
  const secrets = [apiKey, apiToken]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const pair = toBase64(new TextEncoder().encode(`${apiKey}:${apiToken}`));
  return (text) => [pair, ...secrets].reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
