import { InvalidRequestError } from '../errors';

/** The error of a helper that sends nothing, about one of its arguments: without an `outcome`. */
export function invalidArgument(
  subject: string,
  issues: Readonly<Record<string, string>>,
): InvalidRequestError {
  const list = Object.entries(issues).map(([field, message]) => ({ path: [field], message }));
  return new InvalidRequestError(subject, list, { ofCall: false });
}
