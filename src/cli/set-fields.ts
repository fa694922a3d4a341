import { listenerUrl } from '../sandbox/delivery/listener-url';
import { mergeDeep } from '../shared/objects';
import { parseNotification } from '../webhooks/parse';
import { usageFailure } from './failure';

/** Sets the fields of `--set path=value` in a payload: `--set refund.amount=5 --set receipt=null`. */
export function setFields(payload: object, assignments: readonly string[]): unknown {
  return assignments.reduce<unknown>((current, assignment) => mergeDeep(current, parse(assignment)), payload);
}

function parse(assignment: string): unknown {
  const { path, value } = /^(?<path>[^=]+)=(?<value>.*)$/s.exec(assignment)?.groups ?? {};
  const names = path?.split('.') ?? [];
  if (value === undefined || names.length === 0 || names.includes('')) {
    throw usageFailure('Expected `--set` as path=value, such as `--set refund.amount=5`.');
  }
  return names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), read(value));
}

/** Reads a value as JSON (`5`, `null`, `{"bank":"1"}`), and as text if it is not JSON (`PAID`). */
function read(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The kind and key that a listener of this library finds in it; `undefined` if it cannot read it. */
export function recognize(query: string, payload: unknown): { kind: string; key: string } | undefined {
  try {
    const url = listenerUrl('http://listener.invalid/', { kind: 'custom', query }) ?? '';
    return parseNotification({ url, body: JSON.stringify(payload) });
  } catch {
    return undefined;
  }
}

/** The kind after `--set`, if it is not the one asked for: a sale with another status is no payment. */
export function otherKind(
  asked: string,
  query: string,
  payload: unknown,
): { kind: string; explanation: string } | undefined {
  const actual = recognize(query, payload)?.kind;
  if (actual === asked) return undefined;
  if (actual === undefined) {
    return {
      kind: 'unreadable',
      explanation:
        'a field that it needs is missing, or contradicts the query. `createWebhookHandler` answers 400, ' +
        'unless it has `on.unrecognized`.',
    };
  }
  return { kind: actual, explanation: `\`createWebhookHandler\` calls \`on.${actual}\` for it.` };
}
