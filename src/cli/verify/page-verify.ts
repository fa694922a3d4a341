import type { Verify } from '../../sandbox/page/page-state';
import type { Credentials } from '../../service/credentials';
import { SandboxClient } from '../sandbox-client';
import { parseTarget, type TargetOptions } from '../target';
import { withQuietSandbox } from './quiet-sandbox';
import { runChecklist } from './run-checklist';

/** As the command's defaults. */
const LIMIT_MS = 5_000;

/**
 * What the button of the sandbox's page runs: the checklist with real sales of that sandbox.
 *
 * @param sandboxUrl - asked for at each press, because the sandbox has a URL only once it has started
 */
export function pageVerify(
  sandboxUrl: () => string,
  credentials: Credentials,
  options: TargetOptions,
): Verify {
  return async (listenerUrl) => {
    const { url } = parseTarget('listener URL', listenerUrl, options);
    const sandbox = new SandboxClient(sandboxUrl(), credentials);
    const checks = await withQuietSandbox(sandbox, () =>
      runChecklist({
        url,
        credentials,
        limitMs: LIMIT_MS,
        effects: undefined,
        sandbox,
      }),
    );
    return { checks };
  };
}
