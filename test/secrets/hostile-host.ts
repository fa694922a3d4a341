import { inspect } from 'node:util';
import * as z from 'zod/mini';

/**
 * Makes the process a hostile host: a `z.config` whose messages quote the refused value, and stack traces that quote
 * the whole error. Returns a function that undoes this.
 */
export function beHostile(): () => void {
  const { customError } = z.config();
  const { prepareStackTrace } = Error;
  z.config({ customError: (issue) => `refused ${JSON.stringify(issue.input)}` });
  Error.prepareStackTrace = (error, frames) => {
    const own = inspect(Object.getOwnPropertyDescriptors(error), { depth: 5 });
    const frame = frames.map((site) => `${site} ${inspect(site.getThis())} ${inspect(site.getFunction())}`);
    return [error.name, error.message, own, ...frame].join('\n    at ');
  };
  return () => {
    z.config({ customError: customError as never });
    Error.prepareStackTrace = prepareStackTrace as never;
  };
}
