/** The credentials that you and the service identify each other with (document section 5). */
export interface Credentials {
  /** API authentication key: header `x-api-key`, and the user name of notifications. */
  readonly apiKey: string;
  /** API authentication token: header `x-api-token`, and the password of notifications. */
  readonly apiToken: string;
}

/** Keeps the credentials out of text that the service wrote, whether in upper or lower case. */
export class Secrets {
  readonly #patterns: readonly RegExp[];
  readonly #longSecrets: readonly string[];

  constructor(...pairs: readonly Credentials[]) {
    const secrets = pairs.flatMap(({ apiKey, apiToken }) => [apiKey, apiToken]);
    this.#patterns = secrets.map(spellingsOf);
    this.#longSecrets = secrets.filter(({ length }) => length >= 12).map((secret) => secret.toLowerCase());
  }

  /** A text without the credentials. */
  redact(text: string): string {
    return this.#patterns.reduce((redacted, pattern) => redacted.replace(pattern, '[redacted]'), text);
  }

  /**
   * Gives a uuid unchanged, because with a part taken out it would lead nowhere. A uuid that contains a credential is
   * dropped. Short credentials are in many uuids by chance, and do not count.
   */
  dropIfSecret(uuid: string): string | undefined {
    return this.#longSecrets.some((secret) => uuid.toLowerCase().includes(secret)) ? undefined : uuid;
  }
}

/** A secret in upper or lower case, with each character as it is or percent-encoded: encoders disagree on which ones. */
export function spellingsOf(secret: string): RegExp {
  return new RegExp([...secret].map(spellingsOfCharacter).join(''), 'gi');
}

function spellingsOfCharacter(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  const encoded = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const itself = character.replace(/[.*+?^${}()|[\]\\]/, '\\$&');
  return character === ' ' ? `(?: |%20|\\+)` : `(?:${itself}|${encoded})`;
}

/**
 * Where a client has its pairs for the listener of its orders. From the global registry, for two copies of the package.
 */
export const CREDENTIALS: unique symbol = Symbol.for('pix-automatic-sdk.credentials');

/** Whatever knows the pairs that its listener accepts. */
export interface HasCredentials {
  /** The pair that is used, and during a rotation the other one. */
  [CREDENTIALS](): readonly Credentials[];
}
