import { createServer } from 'node:http';
import { SandboxClient } from '../../../src/cli/sandbox-client';
import type { CheckResult } from '../../../src/cli/verify/check';
import { Effects } from '../../../src/cli/verify/effects';
import { runChecklist } from '../../../src/cli/verify/run-checklist';
import { listen } from '../../helpers/listen';
import type { Program } from '../runner/program';
import type { Running } from '../runner/run-example';

/** The line that an example prints when it has acted, by kind. */
export type Acted = Readonly<Record<string, RegExp>>;

/** The URL at which a POST creates an order and its journey, like the example’s own page or route. */
export type Shop = (running: Running) => Promise<string>;

/** The longest time until an action is counted, in milliseconds. */
const EFFECTS_WAIT_MS = 500;

/** Runs the checklist with real sales. Returns the checks that did not pass, including those left unchecked. */
export async function verify(
  running: Running,
  program: Program,
  acted: Acted,
  shop?: Shop,
): Promise<CheckResult[]> {
  const { sandbox, webhookUrl } = running;
  sandbox.setWebhookUrl(undefined);
  const effects = await answering(async () => count(program, acted));
  const checks = await runChecklist({
    url: webhookUrl,
    credentials: sandbox.credentials,
    limitMs: 10_000,
    effects: new Effects(new URL(effects), EFFECTS_WAIT_MS),
    sandbox: new SandboxClient(sandbox.url, sandbox.credentials),
    shop: shop && new URL(await shop(running)),
  });
  return checks.filter(({ verdict }) => verdict !== 'passed');
}

/** Counts once the output has stopped changing, because some may still be on its way through the pipe. */
async function count(program: Program, acted: Acted): Promise<Record<string, number>> {
  const printed = await program.settledOutput();
  return Object.fromEntries(
    Object.entries(acted).map(([kind, pattern]) => [kind, printed.match(pattern)?.length ?? 0]),
  );
}

/** The URL of a server that answers with the result of `work`, as JSON. */
export async function answering(work: () => Promise<unknown>): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    work().then(
      (result) => response.end(JSON.stringify(result ?? {})),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  return listen(server);
}
