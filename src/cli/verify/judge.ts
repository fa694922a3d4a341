import type { SandboxNotification } from '../../sandbox/model/records';

/** What a listener books money as. Rows of any other kind are the merchant's own, and are not looked at. */
export const bookedKinds = ['payment', 'refund', 'reversal', 'payout'] as const;

export function isBookedKind(kind: string): kind is BookedKind {
  return (bookedKinds as readonly string[]).includes(kind);
}

export type BookedKind = (typeof bookedKinds)[number];

/** One thing that the listener has booked. */
export interface Row {
  readonly kind: BookedKind;
  /** What it is about. A row without it counts for any. */
  readonly subject?: string;
  /** In the currency's main unit. A row without it counts for any. */
  readonly amount?: number;
}

/** A row that must come, or may. */
export interface Booking {
  readonly kind: BookedKind;
  /** What a row may have as its subject: a UUID, an id or the order's reference. */
  readonly subjects: readonly string[];
  readonly amount: number;
  /** Its subject may have a row already, which is then this one. */
  readonly orBefore?: boolean;
}

/** What differs from the rows that must come and those that may. */
export interface RowProblem {
  readonly type: 'missing' | 'doubled' | 'amount' | 'kind' | 'again' | 'unexpected' | 'takenBack';
  readonly kind: BookedKind;
  readonly subject: string | undefined;
  /** As it should be. */
  readonly amount: number | undefined;
  /** The amount that it has. */
  readonly got?: number | undefined;
  /** How many rows there are. */
  readonly times?: number;
}

export interface Judgement {
  readonly problems: readonly RowProblem[];
  /** The rows that came. */
  readonly added: readonly Row[];
}

/** What the rows of a step may look like. */
export interface Expected {
  /** The rows that must come. */
  readonly must: readonly Booking[];
  /** The rows that may come. */
  readonly may: readonly Booking[];
  /** The rows that must not be there afterwards, and may go. */
  readonly none: readonly Booking[];
}

/** The row that a notification of this kind must add. */
export function bookingOf({ payload }: SandboxNotification): Booking {
  const { refund, sale, saleToken, referenceCode, uuid, id, success, amount, reversedAmount } =
    Object(payload);
  const names = (...all: unknown[]) => all.filter((name) => name !== undefined).map(String);
  if (refund !== undefined) {
    const subjects = names(refund.uuid, refund.id, saleToken, referenceCode);
    return { kind: 'refund', subjects, amount: refund.amount };
  }
  if (sale !== undefined) {
    return { kind: 'reversal', subjects: names(uuid, id, sale.uuid), amount: reversedAmount };
  }
  if (success !== undefined) return { kind: 'payout', subjects: names(uuid, id), amount };
  return { kind: 'payment', subjects: names(saleToken, referenceCode), amount };
}

/**
 * Compares the rows before and after. Every other change than those that are expected is a problem.
 *
 * @param ours - the subjects of this run so far
 */
export function judge(
  before: readonly Row[],
  after: readonly Row[],
  { must, may, none }: Expected,
  ours: ReadonlySet<string>,
): Judgement {
  const added = without(after, before);
  const rest = [...added];
  const take = (fits: (row: Row) => boolean) => {
    const index = rest.findIndex(fits);
    return index < 0 ? undefined : rest.splice(index, 1)[0];
  };
  const problems: RowProblem[] = [];
  const about = (booking: Booking) => ({
    kind: booking.kind,
    subject: booking.subjects[0],
    amount: booking.amount,
  });
  const isThere = (one: Booking) =>
    one.orBefore === true && before.some((row) => row.subject !== undefined && isAbout(row, one));
  const unmatched = must.filter(
    (one) => !isThere(one) && take((row) => isAbout(row, one) && hasAmount(row, one)) === undefined,
  );
  for (const one of unmatched) {
    const other = take((row) => isAbout(row, one));
    if (other !== undefined) problems.push({ type: 'amount', ...about(one), got: other.amount });
    else if (!one.orBefore || !before.some((row) => isAbout(row, one)))
      problems.push({ type: 'missing', ...about(one) });
  }
  for (const one of may) {
    const other = take((row) => isAbout(row, one));
    if (other !== undefined && !hasAmount(other, one))
      problems.push({ type: 'amount', ...about(one), got: other.amount });
  }
  const gone = without(before, after).filter((row) => !none.some((one) => isAbout(row, one)));
  const left = after.filter(
    (row) => !added.includes(row) && row.subject !== undefined && none.some((one) => isAbout(row, one)),
  );
  for (const row of left)
    problems.push({ type: 'unexpected', ...row, subject: row.subject, amount: row.amount });
  for (const row of rest.splice(0)) {
    const own = [...must, ...may].find((one) => isAbout(row, one));
    const mine = [...must, ...may].some(({ subjects }) => subjects.includes(row.subject ?? ''));
    const replaced = gone.findIndex((old) => old.kind === row.kind && old.subject === row.subject);
    const { kind, subject, amount } = row;
    if (own !== undefined) {
      const same = problems.findIndex(
        ({ type, subject: of }) => type === 'doubled' && of === own.subjects[0],
      );
      const times = (problems[same]?.times ?? 1) + 1;
      if (same >= 0) problems.splice(same, 1);
      problems.push({ type: 'doubled', ...about(own), times });
    } else if (replaced >= 0) {
      const [old] = gone.splice(replaced, 1);
      problems.push({ type: 'amount', kind, subject, amount: old?.amount, got: amount });
    } else if (mine) {
      problems.push({ type: 'kind', kind, subject, amount });
    } else {
      problems.push({ type: ours.has(subject ?? '') ? 'again' : 'unexpected', kind, subject, amount });
    }
  }
  for (const { kind, subject, amount } of gone) problems.push({ type: 'takenBack', kind, subject, amount });
  return { problems, added };
}

export function isAbout(row: Row, { kind, subjects }: Booking): boolean {
  return row.kind === kind && (row.subject === undefined || subjects.includes(row.subject));
}

function hasAmount(row: Row, { amount }: Booking): boolean {
  return row.amount === undefined || Math.round(row.amount * 100_000) === Math.round(amount * 100_000);
}

/** The rows of `all` that `others` has not. Two equal rows are two rows. */
function without(all: readonly Row[], others: readonly Row[]): Row[] {
  const left = new Map<string, number>();
  const key = ({ kind, subject, amount }: Row) => JSON.stringify([kind, subject, amount]);
  for (const row of others) left.set(key(row), (left.get(key(row)) ?? 0) + 1);
  return all.filter((row) => {
    const count = left.get(key(row)) ?? 0;
    left.set(key(row), count - 1);
    return count <= 0;
  });
}
