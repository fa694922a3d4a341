import { ConfigurationError } from '../../errors';
import type { SandboxLogEntry } from '../../sandbox/log';
import type { Verify } from '../../sandbox/page/page-state';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox';
import { type SandboxExtras, startSandboxWith } from '../../sandbox/start-sandbox';
import type { Credentials } from '../../service/credentials';
import { LONGEST_TIMER_MS } from '../../shared/time';
import type { Command } from '../command';
import { credentialsFromEnvironment, parseTarget, type TargetOptions } from '../credentials';
import { CliFailure } from '../failure';
import { DEFAULT_PORT, insecureHttpOption } from '../options';
import { print, printJson } from '../output';
import { SandboxClient } from '../sandbox-client';
import { logLine, logRecord, welcome } from '../sandbox-output';
import { DEFAULT_LIMIT_MS, runChecklist, withoutFaults } from '../verify/run-checklist';

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'Run a local sandbox of the service, with a web page and a live log',
  arguments: [],
  options: {
    port: { value: 'n', about: `Port; 0 takes any free one (default: ${DEFAULT_PORT})` },
    host: {
      value: 'name',
      about: 'Address to listen on (default: 127.0.0.1); others need credentials from the environment',
    },
    'public-url': { value: 'url', about: 'The URL by which others reach it, such as http://sandbox:4100' },
    'webhook-url': { value: 'url', about: 'Where notifications go: https, or this machine' },
    'retry-interval': { value: 'ms', about: 'Time from a failed delivery to its retry (default: 60000)' },
    'allow-insecure-http': insecureHttpOption,
    json: { about: 'Print the log as NDJSON: started, request, delivery, stopped' },
  },
  examples: [
    'sandbox --webhook-url http://127.0.0.1:3000/webhooks',
    'sandbox --port 0 --retry-interval 500 --json',
    'sandbox --host 0.0.0.0 --public-url http://sandbox:4100 --webhook-url http://shop:3000/webhooks --allow-insecure-http',
  ],
  notes: [
    {
      title: 'Control it',
      lines: [
        'Open its URL in a browser, or use pay, refund, reverse, pay-out, list, resend and fault in another terminal.',
      ],
    },
  ],
  exitCodes: ['ended by SIGINT or SIGTERM', 'it cannot listen on that host and port'],
  async run({ options }) {
    const port = options.integer('port', { least: 0, most: 65_535, otherwise: DEFAULT_PORT });
    const retryIntervalMs = options.integer('retry-interval', {
      least: 0,
      most: LONGEST_TIMER_MS,
      otherwise: 60_000,
    });
    const targetOptions = { allowInsecureHttp: options.has('allow-insecure-http') };
    const webhookText = options.text('webhook-url');
    const webhookUrl =
      webhookText === undefined ? undefined : parseTarget('--webhook-url', webhookText, targetOptions).url;
    const host = options.text('host');
    const publicUrl = options.text('public-url');
    // Without a pair in the environment, the sandbox's own is used. It is no secret, so it may be sent anywhere.
    const chosen = credentialsFromEnvironment(true);
    const json = options.has('json');
    const log = (entry: SandboxLogEntry) =>
      json ? printJson(logRecord(entry)) : print(logLine(entry, retryIntervalMs));

    const end = untilSignal();
    const { credentials } = chosen;
    let url = '';
    const running = await start(
      { port, host, publicUrl, webhookUrl, retryIntervalMs, credentials, log },
      { verify: pageVerify(() => url, credentials, targetOptions) },
    );
    ({ url } = running);
    keepToSafeTargets(running, targetOptions);
    if (json) printJson({ type: 'started', url: running.url, credentials: chosen.source });
    else print(welcome(running, chosen, webhookUrl, host));

    await end;
    await running.close();
    if (json) printJson({ type: 'stopped' });
    else print('Stopped.');
    return 0;
  },
};

async function start(options: SandboxOptions, extras: SandboxExtras): Promise<Sandbox> {
  try {
    return await startSandboxWith(options, extras);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (error instanceof ConfigurationError || typeof code !== 'string') throw error;
    const hint =
      code === 'EADDRINUSE'
        ? ' Something else has the port: pass another `--port`, or 0 for any free one.'
        : '';
    throw new CliFailure(1, `The sandbox cannot listen on that host and port (${code}).${hint}`);
  }
}

/** Applies the rule of `--webhook-url` to the control call that changes that URL, too. */
function keepToSafeTargets(sandbox: Sandbox, options: TargetOptions): void {
  const { setWebhookUrl } = sandbox;
  sandbox.setWebhookUrl = (target) => {
    for (const url of typeof target === 'string' ? [target] : Object.values(target ?? {})) {
      try {
        if (url !== undefined) parseTarget('webhookUrl', url, options);
      } catch (error) {
        throw error instanceof CliFailure ? new ConfigurationError(error.message) : error;
      }
    }
    setWebhookUrl(target);
  };
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/**
 * Returns what the button of the sandbox's page runs: the checklist, with real sales of that sandbox.
 *
 * @param sandboxUrl - called at each press, because the sandbox has no URL before it has started
 */
export function pageVerify(
  sandboxUrl: () => string,
  credentials: Credentials,
  options: TargetOptions,
): Verify {
  return async (listenerUrl) => {
    const { url } = parseTarget('listener URL', listenerUrl, options);
    const sandbox = new SandboxClient(sandboxUrl(), credentials);
    const checks = await withoutFaults(sandbox, () =>
      runChecklist({ url, credentials, limitMs: DEFAULT_LIMIT_MS, effects: undefined, sandbox }),
    );
    return { checks };
  };
}
