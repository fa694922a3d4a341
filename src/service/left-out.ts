import { isObject } from '../shared/objects';
import type { ValidationIssue } from '../shared/validation-issue';
import { MAX_ISSUES } from './schema';

/** In the global registry, because a program may load the ESM and the CommonJS copy of the package side by side. */
const LEFT_OUT_FIELDS = Symbol.for('pix-automatic-sdk.left-out');

/**
 * Attaches to a result the fields that were left out of it because they did not have the documented type. Comparing or
 * printing the result does not show this note, and a copy does not have it.
 */
export function noteLeftOut(result: unknown, issues: readonly ValidationIssue[]): void {
  if (issues.length === 0 || !isObject(result)) return;
  Object.defineProperty(result, LEFT_OUT_FIELDS, { value: issues, enumerable: false });
}

/**
 * Whether something under one of these paths may have been left out of a result. At most `MAX_ISSUES` fields are noted,
 * so a full list may have missed any field. A result that the library did not read, such as a test double's, has
 * nothing left out.
 */
export function mayHaveLeftOut(result: object, paths: readonly (readonly [string, string?])[]): boolean {
  const issues: readonly ValidationIssue[] = Object.hasOwn(result, LEFT_OUT_FIELDS)
    ? Reflect.get(result, LEFT_OUT_FIELDS)
    : [];
  if (issues.length >= MAX_ISSUES) return true;
  return issues.some(({ path }) => paths.some(([first, second]) => path[0] === first && path[1] === second));
}
