import type { ValidationIssue } from '../errors';

/** The payloads that the document shows (sections 6.2 to 6.5). A sale's is of one kind or another by its status. */
export type DocumentedShape = 'sale' | 'reversal' | 'refund' | 'payout';

/**
 * Which payload a body has, by the query flags, or by its shape when there are none (queues and gateways drop
 * queries). Contradictions are issues, never a guess: a refund taken for a payment would ship goods.
 */
export function chooseShape(
  body: Readonly<Record<string, unknown>>,
  query: URLSearchParams | undefined,
): DocumentedShape | 'unrecognized' | { readonly issues: readonly ValidationIssue[] } {
  const flagged = query === undefined ? [] : flaggedShapes(query);
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

/** The flag in the query, as `refund=true` or `type=refund` (document sections 6.3 to 6.5). */
const FLAGS: ReadonlyArray<readonly [flag: string, shape: DocumentedShape]> = [
  ['reversing', 'reversal'],
  ['refund', 'refund'],
  ['payout', 'payout'],
];

function flaggedShapes(query: URLSearchParams): DocumentedShape[] {
  // A repeated parameter is looked at in full: the merchant's own `type` may stand before the service's.
  return FLAGS.filter(
    ([flag]) => query.getAll(flag).includes('true') || query.getAll('type').includes(flag),
  ).map(([, shape]) => shape);
}

/** What a body shows of each payload. A field that is null says nothing, because the service may send all of them. */
function visibleShapes(body: Readonly<Record<string, unknown>>): DocumentedShape[] {
  const shapes: DocumentedShape[] = [];
  if (has(body, 'newStatus')) shapes.push('sale');
  if (has(body, 'sale') && has(body, 'reversedAmount')) shapes.push('reversal');
  if (has(body, 'refund')) shapes.push('refund');
  if (has(body, 'success') && typeof body['success'] === 'boolean') shapes.push('payout');
  return shapes;
}

function has(body: Readonly<Record<string, unknown>>, field: string): boolean {
  return Object.hasOwn(body, field) && body[field] !== null && body[field] !== undefined;
}

function contradiction(message: string): { issues: readonly ValidationIssue[] } {
  return { issues: [{ path: [], message }] };
}
