import { createServer } from 'node:http';
import { SandboxClient } from '../../../src/cli/sandbox-client';
import { Effects } from '../../../src/cli/verify/effects';
import { runVerify } from '../../../src/cli/verify/run';
import type { StepResult } from '../../../src/cli/verify/step';
import { listen } from '../../helpers/listen';
import type { Program } from '../runner/program';
import type { Running } from '../runner/run-example';

/** The line that an example prints when it has booked, by kind. Its groups `subject` and `amount` are those of the row. */
export type Acted = Readonly<Record<string, RegExp>>;

/** The URL at which a POST creates an order and its journey, like the example’s own page or route. */
export type Shop = (running: Running) => Promise<string>;

/** The longest time until an action is counted, in milliseconds. */
const EFFECTS_WAIT_MS = 500;

/**
 * Runs the script with real sales. Returns the steps that failed, and why it ended early.
 *
 * @param rows - what the example has booked, where it prints none of it
 */
export async function verify(
  running: Running,
  program: Program,
  acted: Acted,
  shop?: Shop,
  rows: () => Promise<object[]> = () => rowsOf(program, acted),
): Promise<{ failed: StepResult[]; ended: string | undefined }> {
  const { sandbox, webhookUrl } = running;
  sandbox.setWebhookUrl(undefined);
  const effects = await answering(rows);
  const { steps, ended } = await runVerify({
    url: webhookUrl,
    credentials: sandbox.credentials,
    limitMs: 10_000,
    effects: new Effects(new URL(effects), EFFECTS_WAIT_MS),
    sandbox: new SandboxClient(sandbox.url, sandbox.credentials),
    shop: shop && new URL(await shop(running)),
    kinds: Object.keys(acted),
  });
  return { failed: steps.filter(({ verdict }) => verdict === 'failed'), ended };
}

/** Reads once the output has stopped changing, because some may still be on its way through the pipe. */
async function rowsOf(program: Program, acted: Acted): Promise<object[]> {
  const printed = await program.settledOutput();
  return Object.entries(acted).flatMap(([kind, pattern]) =>
    [...printed.matchAll(pattern)].map(({ groups }) => ({ kind, ...groups })),
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
