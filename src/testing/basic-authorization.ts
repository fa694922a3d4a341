import type { Credentials } from '../schemas/credentials';
import { encodeCredentials } from '../webhooks/authorization';

/**
 * The `Authorization` header of a notification (document section 5): `Basic` and the Base64 of key, colon and token.
 *
 * @throws `ConfigurationError` for credentials that cannot work
 */
export function basicAuthorization(credentials: Credentials): string {
  return `Basic ${encodeCredentials(credentials)[0]?.encoded}`;
}
