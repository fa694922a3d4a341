import { StoreError } from '../errors';
import type { ClaimResult } from './idempotency-store';
import { stateFromStored } from './names';
import type { ParkedNotification, ParkRequest } from './parked';

/** What a store's server replied to `claim`, not yet checked. */
export interface ClaimReply {
  readonly status: unknown;
  /** Sent with the command and returned by it, so that the reply of another command is never taken for ours. */
  readonly token: unknown;
  readonly fence: unknown;
  readonly states: unknown;
}

/** Returns the claim's result; throws if the store's own command could not have given this reply. */
export function readClaim(
  reply: ClaimReply,
  asked: { readonly subject: string; readonly state: string; readonly token: string },
): ClaimResult {
  const { status, token, states } = reply;
  if (token !== asked.token) throw unexpectedReply('claim');
  if (status === 'busy') return { status };
  if (!isTexts(states)) throw unexpectedReply('claim');

  const handledStates = states.map(stateFromStored);
  if (status === 'done') return { status, handledStates };
  const fence = typeof reply.fence === 'string' ? Number(reply.fence) : Number.NaN;
  if (status !== 'claimed' || !Number.isSafeInteger(fence) || fence < 1) throw unexpectedReply('claim');
  return { status, ...asked, fence, handledStates };
}

/** Returns the text that is stored for a parked notification. As JSON, any string in it can be stored. */
export function parkedAsText({
  key,
  kind,
  subject,
  state,
  body,
  url,
  errorName,
  errorCode,
}: ParkRequest): string {
  return JSON.stringify({ key, kind, subject, state, body, url, errorName, errorCode });
}

/** Reads a parked notification from that text, and from the times and count that the server kept. */
export function readParked(
  entry: unknown,
  first: unknown,
  last: unknown,
  attempts: unknown,
): ParkedNotification {
  const [firstFailedAt, lastFailedAt, count] = [first, last, attempts].map(Number) as [
    number,
    number,
    number,
  ];
  if (typeof entry !== 'string' || ![firstFailedAt, lastFailedAt, count].every(Number.isSafeInteger)) {
    throw unexpectedReply('parked');
  }
  return { ...(JSON.parse(entry) as ParkRequest), firstFailedAt, lastFailedAt, attempts: count };
}

export function unexpectedReply(step: string): StoreError {
  return new StoreError(
    `The store's client gave a reply to ${step} that its command never gives, so its outcome is unknown. ` +
      'Pass a plain client, without transformed replies, outside a pipeline or MULTI.',
  );
}

export function newToken(): string {
  return globalThis.crypto.randomUUID();
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
