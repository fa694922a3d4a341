import type { ValidationIssue } from '../errors';
import { type QuerySource, queryOf, readQuery } from './query';

/** The payloads that the document shows (sections 6.2 to 6.5). A sale's is of one kind or another by its status. */
export type DocumentedShape = 'sale' | 'reversal' | 'refund' | 'payout';

/** A set of payloads, a bit for each: every notification makes two of them, and arrays would cost more than the rest. */
type Shapes = number;

const SALE = 1;
const REVERSAL = 2;
const REFUND = 4;
const PAYOUT = 8;

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
  const claimed = flagged || seen;
  if (claimed === 0) return 'unrecognized';
  const shape = nameOf(claimed);
  if (shape === undefined) {
    const source = flagged === 0 ? 'a body' : 'query flags';
    return contradiction(`expected ${source} of one kind, got those of ${namesOf(claimed)}`);
  }
  if (seen !== 0 && (seen & claimed) === 0) {
    return contradiction(
      `expected the body of a ${shape}, as the query flags say, got that of a ${namesOf(seen)}`,
    );
  }
  return shape;
}

function flaggedShapes(source: QuerySource): Shapes {
  const shown = source.query === undefined ? shownShape(queryOf(source.url)) : undefined;
  if (shown !== undefined) return shown;
  const query = readQuery(source);
  // A repeated parameter is looked at in full: the merchant's own `type` may stand before the service's.
  const isFlagged = (flag: string) =>
    query.getAll(flag).includes('true') || query.getAll('type').includes(flag);
  return (
    (isFlagged('reversing') ? REVERSAL : 0) |
    (isFlagged('refund') ? REFUND : 0) |
    (isFlagged('payout') ? PAYOUT : 0)
  );
}

/** Of the queries that the document shows (sections 6.2 to 6.5), so that the usual ones need not be parsed. */
function shownShape(query: string): Shapes | undefined {
  switch (query) {
    case '':
      return 0;
    case 'reversing=true&type=reversing':
      return REVERSAL;
    case 'refund=true&type=refund':
      return REFUND;
    case 'payout=true':
    case 'payout=true&type=payout':
      return PAYOUT;
    default:
      return undefined;
  }
}

/** What a body shows of each payload. A field that is null says nothing, because the service may send all of them. */
function visibleShapes(body: Readonly<Record<string, unknown>>): Shapes {
  const { newStatus, sale, reversedAmount, refund, success } = body;
  let shapes: Shapes = 0;
  if (isGiven(newStatus) && Object.hasOwn(body, 'newStatus')) shapes |= SALE;
  if (
    isGiven(sale) &&
    isGiven(reversedAmount) &&
    Object.hasOwn(body, 'sale') &&
    Object.hasOwn(body, 'reversedAmount')
  )
    shapes |= REVERSAL;
  if (isGiven(refund) && Object.hasOwn(body, 'refund')) shapes |= REFUND;
  if (typeof success === 'boolean' && Object.hasOwn(body, 'success')) shapes |= PAYOUT;
  return shapes;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** The name of a set of one; `undefined` of any other. */
function nameOf(shapes: Shapes): DocumentedShape | undefined {
  switch (shapes) {
    case SALE:
      return 'sale';
    case REVERSAL:
      return 'reversal';
    case REFUND:
      return 'refund';
    case PAYOUT:
      return 'payout';
    default:
      return undefined;
  }
}

function namesOf(shapes: Shapes): string {
  return [SALE, REVERSAL, REFUND, PAYOUT]
    .filter((shape) => (shapes & shape) !== 0)
    .map(nameOf)
    .join(' and ');
}

function contradiction(message: string): { issues: readonly ValidationIssue[] } {
  return { issues: [{ path: [], message }] };
}
