import { StoreError } from '../errors';
import type { ClaimResult } from './idempotency-store';
import { stateFromStored } from './names';
import type { ParkedNotification, ParkRequest } from './parked';

/** What a store's server answered to `claim`, before anything about it is believed. */
export interface ClaimReply {
  readonly status: unknown;
  /** Sent along and sent back, so that a reply which belongs to another command is never taken for ours. */
  readonly token: unknown;
  readonly fence: unknown;
  readonly states: unknown;
}

/** The claim's result, or an error where the reply is not one that the store's own command gives. */
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

/** What is written of a parked notification: as JSON, any text in it can be stored. */
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

/** A parked notification, from that text and what the store's server counted and timed. */
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
