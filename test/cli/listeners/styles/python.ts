import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestsEnd } from '../listen';
import { pair } from '../merchant';
import { type Listener, named, type WrongListener } from '../verify-listener';

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
    ...named('truncates', /round/),
    ...inPython('truncates'),
  },
  {
    does: 'reads 4,096 bytes of a body (Python)',
    ...named('limit', /1 MB/),
    ...inPython('short-read'),
  },
  {
    does: "splits the pair at ':' and takes the first two parts (Python)",
    ...named('splits', /whole/),
    ...inPython('splits'),
  },
  {
    does: 'answers 200 to a refund that it fails at (Python)',
    ...named('needsField', /`bankDetails`/),
    ...inPython('swallows'),
  },
  {
    does: 'makes a `dict` of the headers, and looks for `Authorization` (Python)',
    ...named('headerCase', /name of the header in one case/),
    ...inPython('title-case'),
  },
  {
    does: 'makes a `dict` of the headers, and looks for `authorization` (Python)',
    ...named('headerCase', /name of the header in one case/),
    ...inPython('lower-case'),
  },
  {
    does: 'remembers the last three notifications (Python)',
    ...named('forgets', /Keep the idempotency key/),
    ...inPython('forgets'),
  },
];

export const rightInPython: readonly Listener[] = [
  { does: 'speaks HTTP/1.0 (Python)', ...inPython() },
  { does: 'serves one request at a time (Python)', ...inPython('single') },
  { does: 'asks the service by itself (Python)', asksService: true, ...inPython('asks') },
];
