import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../client/self-signed';
import { onTestsEnd } from './listen';
import { answering, right, startMerchant } from './merchant';
import { reports, type WrongListener } from './verify-listener';

/** Listeners behind something that turns notifications away: a route, a rate limit, a certificate. */
export const wrongRoutes: readonly WrongListener[] = [
  {
    does: 'has a rate limit that is used up',
    ...reports('reachable', /rate limit/),
    merchant: answering((response) => response.writeHead(429).end()),
  },
  {
    does: 'takes JSON only with a charset in its media type',
    ...reports('reachable', /`application\/json`, without more/),
    merchant: answering((response) => response.writeHead(415).end()),
  },
  {
    does: 'has a route that no query may follow',
    ...reports('kinds, unknown-kinds', /compare the path alone/),
    merchant: {
      isLetIn: (header, url) => url.search === '' && right.isLetIn(header, url, ''),
      refuse: (response) => response.writeHead(404).end(),
    },
  },
  {
    does: 'has a route that needs a query',
    ...reports('reachable', /payments come without a query/),
    merchant: {
      isLetIn: (header, url) => url.search !== '' && right.isLetIn(header, url, ''),
      refuse: (response) => response.writeHead(404).end(),
    },
  },
  {
    does: 'knows a payout by `type=payout` alone, and refuses one that failed',
    ...reports('kinds', /failed payout carries `payout=true` alone/),
    merchant: {
      isLetIn: (header, url) =>
        (url.searchParams.has('type') || !url.searchParams.has('payout')) && right.isLetIn(header, url, ''),
      refuse: (response) => response.writeHead(404).end(),
    },
  },
  {
    does: 'has a certificate that nobody trusts',
    ...reports('reachable', /certificate is not trusted/),
    async start() {
      const { effects, stop } = await startMerchant({});
      const server = createServer(selfSigned, (_request, response) => response.end());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestsEnd(() => server.close());
      return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, effects, stop };
    },
  },
  {
    does: 'speaks plain http behind an https URL',
    ...reports('reachable', /speaks plain http/),
    async start() {
      const { url, ...rest } = await startMerchant({});
      return { ...rest, url: url.replace('http:', 'https:') };
    },
  },
];
