import { StoreError } from '../errors';

export function unexpectedReply(step: string): StoreError {
  return new StoreError(
    `The store's client gave a reply to ${step} that its command never gives, so its outcome is unknown. ` +
      'Pass a plain client, without transformed replies, outside a pipeline or MULTI.',
  );
}

/** Proves that a claim is one's own; new for each claim. */
export function newToken(): string {
  return globalThis.crypto.randomUUID();
}
