import type { ValidationIssue } from '../errors';
import { type QuerySource, queryOf, readQuery } from './query';

/** The payloads that the document shows (sections 6.2 to 6.5). A sale's is of one kind or another by its status. */
export type DocumentedShape = 'sale' | 'reversal' | 'refund' | 'payout';

/**
 * Which payload a body has, by the query flags, or by its shape when there are none (queues and gateways drop
 * queries). Contradictions are issues, never a guess: a refund taken for a payment would ship goods.
 */
export function chooseShape(
  body: Readonly<Record<string, unknown>>,
  source: QuerySource,
): DocumentedShape | 'unrecognized' | { readonly issues: readonly ValidationIssue[] } {
  const flagged = flaggedShapes(source);
  const seen = visibleShapes(body);
  const claimed = flagged.length > 0 ? flagged : seen;
  const shape = claimed[0];
  if (shape === undefined) return 'unrecognized';
  if (claimed.length > 1) {
    const source = flagged.length > 0 ? 'query flags' : 'a body';
    return contradiction(`expected ${source} of one kind, got those of ${claimed.join(' and ')}`);
  }
  if (seen.length > 0 && !seen.includes(shape)) {
    return contradiction(
      `expected the body of a ${shape}, as the query flags say, got that of a ${seen.join(' and ')}`,
    );
  }
  return shape;
}

/** The queries that the document shows (sections 6.2 to 6.5), so that the usual ones need not be parsed. */
const SHOWN_QUERIES: ReadonlyMap<string, readonly DocumentedShape[]> = new Map([
  ['', []],
  ['reversing=true&type=reversing', ['reversal']],
  ['refund=true&type=refund', ['refund']],
  ['payout=true', ['payout']],
  ['payout=true&type=payout', ['payout']],
]);

function flaggedShapes(source: QuerySource): readonly DocumentedShape[] {
  const shown = source.query === undefined ? SHOWN_QUERIES.get(queryOf(source.url)) : undefined;
  if (shown !== undefined) return shown;
  const query = readQuery(source);
  // A repeated parameter is looked at in full: the merchant's own `type` may stand before the service's.
  return FLAGS.filter(
    ([flag]) => query.getAll(flag).includes('true') || query.getAll('type').includes(flag),
  ).map(([, shape]) => shape);
}

/** The flag in the query, as `refund=true` or `type=refund` (document sections 6.3 to 6.5). */
const FLAGS: ReadonlyArray<readonly [flag: string, shape: DocumentedShape]> = [
  ['reversing', 'reversal'],
  ['refund', 'refund'],
  ['payout', 'payout'],
];

/** What a body shows of each payload. A field that is null says nothing, because the service may send all of them. */
function visibleShapes(body: Readonly<Record<string, unknown>>): DocumentedShape[] {
  const shapes: DocumentedShape[] = [];
  const { newStatus, sale, reversedAmount, refund, success } = body;
  if (isGiven(newStatus) && Object.hasOwn(body, 'newStatus')) shapes.push('sale');
  if (
    isGiven(sale) &&
    isGiven(reversedAmount) &&
    Object.hasOwn(body, 'sale') &&
    Object.hasOwn(body, 'reversedAmount')
  )
    shapes.push('reversal');
  if (isGiven(refund) && Object.hasOwn(body, 'refund')) shapes.push('refund');
  if (typeof success === 'boolean' && Object.hasOwn(body, 'success')) shapes.push('payout');
  return shapes;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function contradiction(message: string): { issues: readonly ValidationIssue[] } {
  return { issues: [{ path: [], message }] };
}
