import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestsEnd } from '../listen';
import { pair } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';

/** Whether Python is there. Without it, its listeners are reported as skipped. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;

function inPython(mistake = ''): Pick<Listener, 'start'> {
  return {
    async start(_client, service) {
      const program = fileURLToPath(new URL('listener.py', import.meta.url));
      const env = { ...process.env, KEY: pair.apiKey, TOKEN: pair.apiToken, SERVICE: service };
      const child = spawn('python3', [program, mistake], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const stop = () => void child.kill();
      onTestsEnd(stop);
      const [port] = await once(child.stdout, 'data');
      const origin = `http://127.0.0.1:${String(port).trim()}`;
      return { url: `${origin}/webhooks`, effects: `${origin}/actions`, stop };
    },
  };
}

export const wrongInPython: readonly WrongListener[] = [
  {
    does: 'compares `int(amount * 100)` with cents (Python)',
    step: 'cents',
    cause: 'not rounded',
    ...inPython('truncates'),
  },
  {
    does: 'reads 4,096 bytes of a body (Python)',
    step: 'long',
    cause: 'only the first bytes',
    ...inPython('short-read'),
  },
  {
    does: "splits the pair at ':' and takes the first two parts (Python)",
    step: 'pairs',
    cause: 'only in part',
    ...inPython('splits'),
  },
  {
    does: 'answers 200 to a refund that it fails at (Python)',
    step: 'leftOut',
    cause: 'read without care',
    ...inPython('swallows'),
  },
  {
    does: 'makes a `dict` of the headers, and looks for `Authorization` (Python)',
    step: 'headerName',
    cause: '`Authorization` alone',
    ...inPython('title-case'),
  },
  {
    does: 'makes a `dict` of the headers, and looks for `authorization` (Python)',
    step: 'first',
    cause: 'in lower case alone',
    ...inPython('lower-case'),
  },
  {
    does: 'remembers the last three notifications (Python)',
    step: 'allAgain',
    cause: 'only the latest keys',
    ...inPython('forgets'),
  },
];

export const rightInPython: readonly Listener[] = [
  { does: 'speaks HTTP/1.0 (Python)', ...inPython() },
  { does: 'serves one request at a time (Python)', ...inPython('single') },
  { does: 'asks the service by itself (Python)', asksService: true, ...inPython('asks') },
];
