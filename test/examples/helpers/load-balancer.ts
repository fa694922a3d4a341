import { createServer, request as forward } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { listen } from '../../helpers/listen';

export interface LoadBalancer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Loopback ports that get the requests in turn. */
  targets: readonly string[];
}

/**
 * A load balancer before several processes of one listener, as in production. It ends with the test.
 *
 * @param readiness - a path that it asks again 100 ms after each answer: a process that does not answer 200 gets no requests
 */
export async function startLoadBalancer(readiness?: string): Promise<LoadBalancer> {
  let turn = 0;
  let red: readonly string[] = [];
  const balancer = { url: '', targets: [] as readonly string[] };
  if (readiness !== undefined) {
    const isRed = async (port: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${readiness}`).catch(() => undefined);
      return answer?.ok === true ? [] : [port];
    };
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    void (async () => {
      while (!isOver) {
        red = (await Promise.all(balancer.targets.map(isRed))).flat();
        await sleep(100);
      }
    })();
  }
  const server = createServer((incoming, outgoing) => {
    const ready = balancer.targets.filter((port) => !red.includes(port));
    const port = ready[turn++ % ready.length];
    const { url: path, method, headers } = incoming;
    const forwarded = forward({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  balancer.url = await listen(server);
  return balancer;
}
