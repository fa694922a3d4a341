/** The credentials that you and the service identify each other with (document section 5). */
export interface Credentials {
  /** API authentication key: header `x-api-key`, and the user name of notifications (document section 5). */
  readonly apiKey: string;
  /** API authentication token: header `x-api-token`, and the password of notifications (document section 5). */
  readonly apiToken: string;
}

/** Keeps the credentials out of text that the service wrote, whether in upper or lower case. */
export class Secrets {
  readonly #patterns: readonly RegExp[];
  readonly #unmistakable: readonly string[];

  constructor({ apiKey, apiToken }: Credentials) {
    const secrets = [apiKey, apiToken];
    this.#patterns = secrets.map((secret) => new RegExp(secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'));
    this.#unmistakable = secrets.filter(({ length }) => length >= 12).map((secret) => secret.toLowerCase());
  }

  /** A text without the credentials. */
  redact(text: string): string {
    return this.#patterns.reduce((redacted, pattern) => redacted.replace(pattern, '[redacted]'), text);
  }

  /**
   * Gives a uuid unchanged, because with a part taken out it would lead nowhere. A uuid that contains a credential is
   * dropped. Short credentials are in many uuids by chance, and do not count.
   */
  uuid(uuid: string | undefined): string | undefined {
    return this.#unmistakable.some((secret) => uuid?.toLowerCase().includes(secret)) ? undefined : uuid;
  }
}
