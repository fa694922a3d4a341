/**
 * One thing that is wrong with a value: where, and what was expected there. Never the value itself, which may be
 * personal data. The shape is that of a Standard Schema issue.
 */
export interface ValidationIssue {
  /** The field, from the outside in: `['recurrence', 'amount', 'recurrenceAmount']`. Empty for the whole value. */
  readonly path: readonly PropertyKey[];
  /** What was expected there. */
  readonly message: string;
}

/**
 * The issues for an error's message: `recurrence.amount.recurrenceAmount: expected a number; currency: required`.
 *
 * @param isHarmless - whether a name may be shown. Another one came from outside and may be personal data: `*` stands for
 *   it, and the issue has it
 */
export function summarize(
  issues: readonly ValidationIssue[],
  isHarmless: (name: PropertyKey) => boolean = () => true,
): string {
  const nameOf = (name: PropertyKey) => (typeof name === 'number' || isHarmless(name) ? String(name) : '*');
  const shown = issues
    .slice(0, MAX_SUMMARIZED)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(nameOf).join('.')}: ${message}`));
  const hidden = issues.length - shown.length;
  return hidden > 0 ? `${shown.join('; ')}; and ${hidden} more` : shown.join('; ');
}

const MAX_SUMMARIZED = 5;
