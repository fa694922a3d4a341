import { documentedKinds } from '../../service/notifications';
import type { ValidationIssue } from '../../shared/validation-issue';
import { type QuerySource, queryOf, readQuery } from './query';

type Kinds = readonly (typeof documentedKinds)[number][];

/**
 * Finds the documented kind of a body by the query flags, or by the body's shape if there are none (queues and gateways
 * drop queries). Returns contradictions as issues and never guesses: a refund taken for a payment would ship goods.
 */
export function chooseKind(
  body: Readonly<Record<string, unknown>>,
  source: QuerySource,
): Kinds[number] | 'unrecognized' | { readonly issues: readonly ValidationIssue[] } {
  const fromQuery = flaggedKinds(source);
  if (fromQuery.length > 1) {
    return contradiction(`expected query flags of one kind, got those of ${labelsOf(fromQuery)}`);
  }
  const [flagged] = fromQuery;
  if (flagged?.match(body)) return flagged;
  const fromBody = documentedKinds.filter(({ match }) => match(body));
  if (flagged === undefined) {
    if (fromBody.length > 1) {
      return contradiction(`expected a body of one kind, got those of ${labelsOf(fromBody)}`);
    }
    return fromBody[0] ?? 'unrecognized';
  }
  if (fromBody.length > 0) {
    return contradiction(
      `expected the body of a ${flagged.label}, as the query flags say, got that of a ${labelsOf(fromBody)}`,
    );
  }
  return flagged;
}

function flaggedKinds(source: QuerySource): Kinds {
  // The service's own spelling, which nearly all notifications have, needs no parsing.
  const text = source.query === undefined ? queryOf(source.url) : undefined;
  if (text === '') return [];
  const asSent = documentedKinds.find(({ query, flag }) => query === text || `${flag}=true` === text);
  if (asSent !== undefined) return [asSent];
  const query = readQuery(source);
  // Look at every value of a repeated parameter: the merchant's own `type` may come before the service's.
  return documentedKinds.filter(
    ({ flag }) =>
      flag !== undefined && (query.getAll(flag).includes('true') || query.getAll('type').includes(flag)),
  );
}

function labelsOf(kinds: Kinds): string {
  return kinds.map(({ label }) => label).join(' and ');
}

function contradiction(message: string): { issues: readonly ValidationIssue[] } {
  return { issues: [{ path: [], message }] };
}
