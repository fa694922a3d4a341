import { documentedKinds } from '../service/notifications';
import { HOUR_MS } from '../shared/time';
import type { Content, Done } from '../stores/steps';
import { type Identity, jsonOf } from './key';
import type { AnyDefinition } from './kinds';

// The service delivers a notification once, and up to five more times about 60 s apart (document section 6.1). A repeat that is late or different is a sign of a key that is too coarse: three months of a subscription
// under one `saleToken` would be one payment.

/** Why a repeat is not one of the service's own. */
export type RepeatReason = 'content-differs' | 'late' | 'foreign';

/** What a delivery is compared by with the one that was acted on. */
export interface Comparison {
  /** What is kept of it, for a later one to be compared with. */
  readonly content: Content;
  /** The whole body, to tell the dead letters of repeats apart. */
  readonly raw: object;
}

/** Such a repeat. */
export interface UnexpectedRepeat {
  readonly reason: RepeatReason;
  /** The names of the fields that differ. */
  readonly fields: readonly string[];
  /** A hash of the whole body. */
  readonly bodyHash: string;
}

/**
 * What a delivery is compared by; `undefined` for one that may come again: a body without an identity, an event.
 *
 * @param body - as it was received; missing for what was not delivered
 */
export function comparisonOf(
  notification: { readonly kind: string; readonly payload?: unknown; readonly raw: object },
  kinds: readonly AnyDefinition[],
  body?: unknown,
): Comparison | undefined {
  const { kind, payload, raw } = notification;
  // An event of a recurrence moves no money: however late it is repeated, nothing is missing.
  if (kind === 'unrecognized' || kind === 'recurrence') return undefined;
  const documented = documentedKinds.find((each) => each.kind === kind);
  const compared = documented?.content(payload as never) ?? ownContent(kind, payload, raw, kinds);
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(compared)) {
    if (value === undefined || value === null) continue;
    // Amounts and references need none of what `jsonOf` takes care of, and each takes a fifth of the time without it.
    const isPlain = typeof value === 'number' || typeof value === 'string';
    const text = isPlain ? JSON.stringify(value) : jsonOf(value);
    if (text !== undefined) fields[name] = shortHash(text);
  }
  const text = typeof body === 'object' ? jsonOf(body) : body;
  const isDated = typeof text === 'string' && DATE_TIME_IN_TEXT.test(text);
  return { content: isDated ? { fields, text: shortHash(text) } : { fields }, raw };
}

/** Without one, an equal body may be next month's. */
const DATE_TIME_IN_TEXT = /\d{4}-\d\d-\d\d[ Tt]\d\d:\d\d/;

/** An own kind is compared as its definition says, or by its body without the times that change with each delivery. */
function ownContent(kind: string, payload: unknown, raw: object, kinds: readonly AnyDefinition[]) {
  const content = kinds.find((each) => each.kind === kind)?.content;
  if (content !== undefined) return { content: content(payload) };
  return { body: jsonOf(raw, (value) => (isDateTime(value) ? undefined : value)) };
}

const DATE_TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d([.,]\d+)?)? ?(Z|[+-]\d\d:?\d\d)?$/i;

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value);
}

/** Compares a delivery with the one that was acted on; `undefined` for a repeat as the service sends them. */
export function unexpectedRepeat(
  { content, raw }: Comparison,
  { at, now, content: before }: Done,
): UnexpectedRepeat | undefined {
  // Only what both have: a field that is left out once is no other amount.
  const fields = Object.entries(before?.fields ?? {})
    .filter(([name, hash]) => content.fields[name] !== undefined && content.fields[name] !== hash)
    .map(([name]) => name);
  const isLate = now - at > HOUR_MS && !isSameText(content, before) && !isFirstDelivery(before);
  if (fields.length === 0 && !isLate) return undefined;
  return {
    reason: fields.length > 0 ? 'content-differs' : 'late',
    fields,
    bodyHash: bodyHashOf(raw),
  };
}

/** Tells the bodies of repeats apart. */
export function bodyHashOf(raw: object): string {
  return shortHash(jsonOf(raw) ?? '');
}

/** Equal in the whole, and with a date-time: the same notification, sent again on purpose. */
export function isSameText({ text }: Content, before: Content | undefined): boolean {
  return text !== undefined && text === before?.text;
}

/** What is settled leaves the content of no delivery: its first delivery is an ordinary repeat at any age. */
export function settled(comparison: Comparison | undefined): Comparison | undefined {
  return comparison && { ...comparison, content: { ...comparison.content, isSettled: true } };
}

/** What a payment is acted on under whose own state was done as money of no order, before its event led to one. */
export function strayIdentity({ subject, state }: Identity): Identity {
  const own = `${state}${STRAY}`;
  return { subject, state: own, key: `${subject}:${own}` };
}

const STRAY = '~event';

export function isStray({ state }: Pick<Identity, 'state'>): boolean {
  return state.endsWith(STRAY);
}

/** Whether what is delivered was settled, and has not been delivered before. */
export function isFirstDelivery(before: Content | undefined): boolean {
  return before?.isSettled === true;
}

/** The identity of the letter of an unexpected repeat: never that of a notification, so it is never done by itself. */
export function repeatIdentity({ subject, state }: Identity, ending: string): Identity {
  return { subject, state: state + ending, key: `${subject}~repeat` };
}

/** The state that was done when a dead letter of an unexpected repeat was kept; `undefined` for any other letter. */
export function stateRepeated({ state }: { readonly state: string }): string | undefined {
  return /^(.*)~[\da-f]{16}~\d{4}-\d\d-\d\d$/s.exec(state)?.[1];
}

/**
 * 64 bits, by FNV-1a with two multipliers, two characters at a time. It compares what the service sends with what the service sent, so it need not
 * withstand an attacker; SHA-256 took seven times as long as all that reads the notification.
 */
function shortHash(text: string): string {
  let one = 0x811c9dc5;
  let two = one;
  // After an odd number of characters, the second one is `NaN`, which counts as 0.
  for (let at = 0; at < text.length; at += 2) {
    const codes = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 8);
    one = Math.imul(one ^ codes, 0x01000193);
    two = Math.imul(two ^ codes, 0x5bd1e995);
  }
  return hex(one) + hex(two);
}

function hex(half: number): string {
  // With a ninth digit that is cut off, in place of leading zeros.
  return ((half >>> 0) + 0x1_0000_0000).toString(16).slice(1);
}
