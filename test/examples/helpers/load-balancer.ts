import { createServer, request as forward } from 'node:http';
import { listen } from '../../helpers/listen';

export interface LoadBalancer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Loopback ports that get the requests in turn. */
  targets: readonly string[];
}

/** A load balancer before several processes of one listener, as in production. It ends with the test. */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  let turn = 0;
  const balancer = { url: '', targets: [] as readonly string[] };
  const server = createServer((incoming, outgoing) => {
    const port = balancer.targets[turn++ % balancer.targets.length];
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
