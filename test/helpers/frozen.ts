import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** Starts a process that stops dead in a callback for this subject, and resolves once it has; see its file. */
export async function freezeProcess(
  dialect: 'postgres' | 'mysql',
  table: string,
  subject: string,
): Promise<ChildProcess> {
  const worker = fileURLToPath(new URL('../stores/frozen-worker.ts', import.meta.url));
  const child = fork(worker, [dialect, table, subject], { execArgv: ['--import', 'tsx'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}
