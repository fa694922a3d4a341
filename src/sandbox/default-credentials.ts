import type { Credentials } from '../service/credentials';

/** A pair that is plainly a sandbox's, and no secret. */
export const defaultCredentials: Credentials = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };

/** Whether a pair is the one that everybody knows. */
export function isDefaultPair({ apiKey, apiToken }: Credentials): boolean {
  return apiKey === defaultCredentials.apiKey && apiToken === defaultCredentials.apiToken;
}
