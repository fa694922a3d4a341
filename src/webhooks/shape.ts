import type { ValidationIssue } from '../errors';
import { type QuerySource, readParameters } from './query';

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

function flaggedShapes(source: QuerySource): DocumentedShape[] {
  const shapes: DocumentedShape[] = [];
  // A repeated parameter is looked at in full: the merchant's own `type` may stand before the service's.
  for (const parameter of readParameters(source)) {
    const shape = flaggedShape(parameter);
    if (shape !== undefined && !shapes.includes(shape)) shapes.push(shape);
  }
  return shapes;
}

/** The flags that the service sends (document sections 6.3 to 6.5); other parameters are the merchant's own. */
function flaggedShape(parameter: string): DocumentedShape | undefined {
  switch (parameter) {
    case 'reversing=true':
    case 'type=reversing':
      return 'reversal';
    case 'refund=true':
    case 'type=refund':
      return 'refund';
    case 'payout=true':
    case 'type=payout':
      return 'payout';
    default:
      return undefined;
  }
}

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
