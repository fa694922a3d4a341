import { InvalidRequestError } from '../errors';
import type { Operation } from '../service/operations';

/**
 * The operation's path with its parameter put in, percent-encoded.
 *
 * @throws `InvalidRequestError` for a parameter that would make it the path of something else
 */
export function pathOf(operation: Operation, parameter: string): string {
  const name = /\{(\w+)\}/.exec(operation.urlTemplate)?.[1] ?? '';
  const problem = problemWith(parameter);
  if (problem !== undefined) {
    throw new InvalidRequestError(`The call of ${operation.name}`, [{ path: [name], message: problem }]);
  }
  return operation.urlTemplate.replace(`{${name}}`, encodeURIComponent(parameter));
}

function problemWith(parameter: unknown): string | undefined {
  if (typeof parameter !== 'string') return 'expected a string';
  if (parameter === '') return 'expected a non-empty string';
  // Percent-encoding leaves dots alone, and every URL parser resolves them.
  if (parameter === '.' || parameter === '..') return 'expected an identifier, not a dot segment of a path';
  if (/\p{Surrogate}/u.test(parameter)) return 'expected well-formed Unicode';
  return undefined;
}
