import { inspect } from 'node:util';
import * as z from 'zod/mini';

/**
 * Makes the process a host that quotes whatever it can get: a `z.config` whose messages hold the refused value, and
 * stacks that hold all of the error. Gives back how to end it.
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
