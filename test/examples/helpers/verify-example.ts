import { createServer } from 'node:http';
import { SandboxClient } from '../../../src/cli/sandbox-client';
import type { CheckResult } from '../../../src/cli/verify/check';
import { Effects } from '../../../src/cli/verify/effects';
import { runChecklist } from '../../../src/cli/verify/run-checklist';
import { listen } from '../../helpers/listen';
import type { Program } from '../runner/program';
import type { Running } from '../runner/run-example';

/** What an example prints when it has acted, by kind. */
export type Acted = Readonly<Record<string, RegExp>>;

/** A POST to it creates an order and its journey, as the example's own page or route does. */
export type Shop = (running: Running) => Promise<string>;

/** How long an action may take to be counted, in milliseconds. */
const EFFECTS_WAIT_MS = 500;

/** Runs the checklist with real sales. Gives the checks that did not pass, those that were left unchecked included. */
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

/** What is printed may still be on its way through the pipe: it is counted once it holds still. */
async function count(program: Program, acted: Acted): Promise<Record<string, number>> {
  const printed = await program.settledOutput();
  return Object.fromEntries(
    Object.entries(acted).map(([kind, pattern]) => [kind, printed.match(pattern)?.length ?? 0]),
  );
}

/** The URL of a server that answers with what `work` gives, as JSON. */
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
