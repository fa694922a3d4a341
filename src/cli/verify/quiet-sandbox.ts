import * as z from 'zod/mini';
import { readAnswer, type SandboxClient } from '../sandbox-client';

const webhookAnswer = z.looseObject({ webhookUrl: z.optional(z.unknown()) });

/**
 * Takes the sandbox's listener away while `work` runs: it would be told of each sale by the sandbox, too, and that would
 * disturb what is counted. Afterwards the sandbox has its listener again.
 */
export async function withQuietSandbox<Result>(
  sandbox: SandboxClient | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (sandbox === undefined) return work();
  const answer = await sandbox.call('GET', '/sandbox/webhook-url');
  const { webhookUrl } = readAnswer(webhookAnswer, answer);
  await sandbox.call('PUT', '/sandbox/webhook-url', {});
  const restore = () => sandbox.call('PUT', '/sandbox/webhook-url', { webhookUrl });
  // Ctrl+C must not leave the sandbox without its listener. A second one ends at once.
  const interrupted = () => void restore().finally(() => process.exit(130));
  process.once('SIGINT', interrupted);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupted);
    await restore();
  }
}
