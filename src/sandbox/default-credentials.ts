import type { Credentials } from '../schemas/credentials';

/** A pair that is plainly a sandbox's, and no secret. */
export const defaultCredentials: Credentials = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };
