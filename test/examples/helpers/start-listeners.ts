import { expect, onTestFinished } from 'vitest';
import { PaymentsClient } from '../../../src';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox';
import { fixtures } from '../../../src/testing';
import { type Ended, type Program, startProgram } from '../runner/program';
import { startLoadBalancer } from './load-balancer';

const credentials = { apiKey: 'example-api-key', apiToken: 'example-api-token' };

/** Several processes of an example's listener behind one sandbox. */
export interface Listeners {
  readonly sandbox: Sandbox;
  readonly programs: readonly Program[];
  /** Starts one more process. */
  add(): Promise<Program>;
  /** Stops all processes, and returns what they printed, one after the other. */
  stop(): Promise<{ status: Ended['status'][]; stdout: string[]; stderr: string[] }>;
  /** Creates a journey that its payer has not paid yet. */
  order(referenceCode: string): Promise<string>;
  /** Delivers every notification again to each process, until each has answered 200. */
  deliverAllAgain(): Promise<void>;
}

/**
 * Runs the `npm start` of an installed example `count` times. The processes get the sandbox’s notifications in turn.
 */
export async function startListeners(
  directory: string,
  count: number,
  env: NodeJS.ProcessEnv = {},
  {
    readiness,
    retryIntervalMs = 500,
    inventions,
    now,
  }: { readiness?: string; retryIntervalMs?: number } & Pick<SandboxOptions, 'inventions' | 'now'> = {},
): Promise<Listeners> {
  const balancer = await startLoadBalancer(readiness);
  // The service itself waits a minute between attempts.
  const sandbox = await startSandbox({
    credentials,
    webhookUrl: `${balancer.url}/webhooks`,
    retryIntervalMs,
    inventions,
    now,
  });
  onTestFinished(() => sandbox.close());
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  let programs: Program[] = [];

  const listeners = {
    sandbox,
    get programs() {
      return programs;
    },
    async add() {
      const program = await startProgram(directory, {
        PAYMENTS_BASE_URL: sandbox.url,
        PAYMENTS_API_KEY: credentials.apiKey,
        PAYMENTS_API_TOKEN: credentials.apiToken,
        PORT: '0',
        ...env,
      });
      const [, port = ''] = await program.printed(/http:\/\/localhost:(\d+)/);
      programs.push(program);
      balancer.targets = [...balancer.targets, port];
      return program;
    },
    async stop() {
      const ended = await Promise.all(programs.map((program) => program.stop()));
      programs = [];
      balancer.targets = [];
      const tidy = (lines: readonly string[]) =>
        lines.map((line) => line.replace(/localhost:\d+/, 'localhost:PORT'));
      return {
        status: ended.map(({ status }) => status),
        stdout: ended.flatMap(({ stdout }) => tidy(stdout)),
        stderr: ended.flatMap(({ stderr }) => tidy(stderr)),
      };
    },
    async order(referenceCode: string) {
      const request = fixtures.recurringCheckoutRequest({ referenceCode });
      return (await client.createRecurringCheckout(request)).response.uuid;
    },
    async deliverAllAgain() {
      await sandbox.idle();
      expect(sandbox.deliveries).not.toEqual([]);
      for (const { id } of sandbox.deliveries) {
        // A process may still be reconnecting to a server that was away.
        let inTurn = 0;
        const deliver = async () => {
          const { httpStatus } = await sandbox.redeliver(id);
          inTurn = httpStatus === 200 ? inTurn + 1 : 0;
          return inTurn;
        };
        await expect.poll(deliver, { timeout: 30_000, interval: 20 }).toBe(programs.length);
      }
    },
  };
  for (let started = 0; started < count; started++) await listeners.add();
  return listeners;
}

/** Waits until the last notification has had an answer, and returns its first one. */
export async function firstAnswer(sandbox: Sandbox): Promise<number | undefined> {
  const attempts = () => sandbox.deliveries.at(-1)?.attempts ?? [];
  await expect.poll(attempts, { timeout: 30_000, interval: 20 }).not.toEqual([]);
  return attempts()[0]?.httpStatus;
}
