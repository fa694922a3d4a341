import { expect, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, sequentialIds, startSandbox } from '../../../src/sandbox';
import { installExample } from './install-example';
import { type Ended, type Program, startProgram } from './program';

const credentials = { apiKey: 'example-api-key', apiToken: 'example-api-token' };

export interface RunOptions {
  /** Where it is installed already. Default: it is installed for this test. */
  readonly directory?: string | undefined;
  /** The path of the example’s listener. Default `/webhooks`. */
  readonly webhookPath?: string | undefined;
  /**
   * Finds the port in the lines that the example prints at its start. Default: the port of the first
   * `http://localhost:…`.
   */
  readonly ready?: RegExp | undefined;
  /** Milliseconds from a failed delivery to its retry. Default 500; the service itself waits a minute. */
  readonly retryIntervalMs?: number | undefined;
  readonly inventions?: SandboxOptions['inventions'];
  /** Environment besides the credentials and `PORT=0`. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A running example, and its sandbox. */
export interface Running {
  readonly origin: string;
  readonly webhookUrl: string;
  /** Its ids are the same in every run: `uuid(1)` is the first one. */
  readonly sandbox: Sandbox;
  readonly program: Program;
  /** Delivers every notification so far once more. */
  deliverAllAgain(): Promise<void>;
  /** Delivers a notification with wrong credentials, and expects that it is refused. */
  forge(payload: object): Promise<void>;
  /** Sends SIGTERM, and returns what the program printed, with its own port and the sandbox’s replaced by `PORT`. */
  stop(): Promise<Ended>;
}

/** Installs an example, if it is not yet, starts a sandbox, and runs the example's `npm start` against it. */
export async function runExample(name: string, options: RunOptions = {}): Promise<Running> {
  const {
    webhookPath = '/webhooks',
    ready = /http:\/\/localhost:(\d+)/,
    env,
    retryIntervalMs = 500,
    inventions,
    directory = await installExample(name),
  } = options;

  const sandbox = await startSandbox({ credentials, ids: sequentialIds(), retryIntervalMs, inventions });
  onTestFinished(() => sandbox.close());

  const program = await startProgram(directory, {
    PAYMENTS_BASE_URL: sandbox.url,
    PAYMENTS_API_KEY: credentials.apiKey,
    PAYMENTS_API_TOKEN: credentials.apiToken,
    PORT: '0',
    ...env,
  });
  const [, port] = await program.printed(ready);
  const origin = `http://127.0.0.1:${port}`;
  const webhookUrl = `${origin}${webhookPath}`;
  sandbox.setWebhookUrl(webhookUrl);

  return {
    origin,
    webhookUrl,
    sandbox,
    program,
    async deliverAllAgain() {
      await sandbox.idle();
      expect(sandbox.deliveries).not.toEqual([]);
      for (const { id } of sandbox.deliveries) {
        expect(await sandbox.redeliver(id)).toMatchObject({ httpStatus: 200 });
      }
    },
    async forge(payload) {
      const headers = { authorization: 'Basic Zm9yZ2VkOnBhaXI=', 'content-type': 'application/json' };
      const answer = await fetch(webhookUrl, { method: 'POST', headers, body: JSON.stringify(payload) });
      expect(answer.status).toBe(401);
    },
    async stop() {
      const { status, ...printed } = await program.stop();
      const tidy = (lines: readonly string[]) =>
        lines.map((line) => line.replace(/\b(localhost|127\.0\.0\.1):\d+/g, '$1:PORT'));
      return { status, stdout: tidy(printed.stdout), stderr: tidy(printed.stderr) };
    },
  };
}

/** The nth uuid that the sandbox makes. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** The uuid of the transaction whose QR code is in the text, in whatever form the example shows it. */
export function uuidIn(shown: string): string {
  const [found] = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/.exec(shown) ?? [];
  if (found === undefined) throw new Error(`There is no uuid in ${shown}`);
  return found;
}
