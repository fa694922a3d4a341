/** What proves who you are to the service, and the service to you (document section 5). */
export interface Credentials {
  /** API authentication key: header `x-api-key`, and the user name of notifications (document section 5). */
  readonly apiKey: string;
  /** API authentication token: header `x-api-token`, and the password of notifications (document section 5). */
  readonly apiToken: string;
}

/** Keeps the credentials out of what the service wrote, in whatever case it wrote them. */
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
   * A uuid as it came: with a part taken out it would lead nowhere. One that quotes a credential is none. A short
   * credential is in many uuids by chance, and does not count.
   */
  uuid(uuid: string | undefined): string | undefined {
    return this.#unmistakable.some((secret) => uuid?.toLowerCase().includes(secret)) ? undefined : uuid;
  }
}
