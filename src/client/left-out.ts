import { MAX_ISSUES } from '../service/schema/read';
import type { ValidationIssue } from '../shared/validation-issue';

/** Of the global registry, because a program may load the ESM and the CommonJS copy of the package side by side. */
const LEFT_OUT = Symbol.for('pix-automatic-sdk.left-out');

/**
 * Notes on a result which fields it is without because they came in another type than documented. Nothing that compares
 * or prints the result shows the note; a copy is without it.
 */
export function noteLeftOut(result: object, issues: readonly ValidationIssue[]): void {
  if (issues.length > 0) Object.defineProperty(result, LEFT_OUT, { value: issues, enumerable: false });
}

/**
 * Whether a result may be without something under one of these paths. Only as many fields are noted as an error shows,
 * so a full list may have missed any. A result that the library did not read, such as a test double's, lacks nothing.
 */
export function mayLack(result: object, paths: readonly (readonly [string, string?])[]): boolean {
  const issues: readonly ValidationIssue[] = Object.hasOwn(result, LEFT_OUT)
    ? Reflect.get(result, LEFT_OUT)
    : [];
  if (issues.length >= MAX_ISSUES) return true;
  return issues.some(({ path }) => paths.some(([first, second]) => path[0] === first && path[1] === second));
}
