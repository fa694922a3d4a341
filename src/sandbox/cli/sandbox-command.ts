import { ConfigurationError } from '../../errors';
import { redactor } from '../redact';
import type { Sandbox, SandboxLogEntry } from '../sandbox';
import { controlCalls } from '../server/control-routes';
import { startSandbox } from '../start-sandbox';
import { type ChosenCredentials, credentialsFromEnvironment } from './credentials';
import { CliFailure } from './failure';
import { isSet, LONGEST_MS, numberOption, type RawOptions, textOption } from './options';
import { paint, print, printJson } from './output';
import { logLine, logRecord } from './sandbox-log';
import { parseTarget } from './target';

const DEFAULT_PORT = 4100;

/** Runs the sandbox until it is told to end. */
export async function sandboxCommand(options: RawOptions): Promise<number> {
  const port = numberOption(options, 'port', { least: 0, most: 65_535, otherwise: DEFAULT_PORT });
  const limits = { least: 0, most: LONGEST_MS, otherwise: 60_000 };
  const retryIntervalMs = numberOption(options, 'retryInterval', limits);
  const webhookText = textOption(options, 'webhookUrl');
  const webhookUrl = webhookText === undefined ? undefined : parseTarget('--webhook-url', webhookText).url;
  const host = textOption(options, 'host');
  // Without a pair in the environment nothing secret can leave, wherever the notifications go.
  const chosen = credentialsFromEnvironment(true);
  const json = isSet(options, 'json');
  const log = (entry: SandboxLogEntry) =>
    json ? printJson(logRecord(entry)) : print(logLine(entry, retryIntervalMs));

  const end = untilSignal();
  const sandbox = await start({
    port,
    host,
    webhookUrl,
    retryIntervalMs,
    credentials: chosen.credentials,
    log,
  });
  keepToSafeTargets(sandbox);
  if (json) printJson({ type: 'started', url: sandbox.url, credentials: chosen.source });
  else print(welcome(sandbox, webhookUrl, chosen));

  await end;
  await sandbox.close();
  if (json) printJson({ type: 'stopped' });
  else print('Stopped.');
  return 0;
}

async function start(options: Parameters<typeof startSandbox>[0]): Promise<Sandbox> {
  try {
    return await startSandbox(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (error instanceof ConfigurationError || typeof code !== 'string') throw error;
    const hint = code === 'EADDRINUSE' ? ' Something else has the port: pass another `--port`, or 0.' : '';
    throw new CliFailure(1, `The sandbox cannot listen there (${code}).${hint}`);
  }
}

/** The rule of `--webhook-url` holds for the control call that changes it, too. */
function keepToSafeTargets(sandbox: Sandbox): void {
  const { setWebhookUrl } = sandbox;
  sandbox.setWebhookUrl = (target) => {
    for (const url of typeof target === 'string' ? [target] : Object.values(target ?? {})) {
      try {
        if (url !== undefined) parseTarget('webhookUrl', url);
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

function welcome(
  { url, credentials }: Sandbox,
  webhookUrl: string | undefined,
  chosen: ChosenCredentials,
): string {
  const pair =
    chosen.source === 'environment'
      ? ['  # PAYMENTS_API_KEY and PAYMENTS_API_TOKEN as they are here']
      : [
          `  PAYMENTS_API_KEY=${credentials.apiKey}`,
          `  PAYMENTS_API_TOKEN=${credentials.apiToken}  ${paint('dim', "# the sandbox's own pair, no secret")}`,
        ];
  return [
    `${paint('bold', 'The sandbox is up:')} ${url}`,
    '',
    'Point a client at it, with PaymentsClient.fromEnv() or by hand:',
    `  PAYMENTS_BASE_URL=${url}`,
    ...pair,
    '',
    webhookUrl === undefined
      ? 'Notifications go nowhere: pass --webhook-url, or call PUT /sandbox/webhook-url.'
      : `Notifications go to ${redactor(credentials)(webhookUrl)}`,
    '',
    'Make things happen, with the headers x-api-key and x-api-token:',
    ...controlCalls.map((call) => `  ${call}`),
    '',
    paint('dim', 'Ctrl+C ends it.'),
    '',
  ].join('\n');
}
