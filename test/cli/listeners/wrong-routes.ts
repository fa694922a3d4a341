import { answering, right } from './merchant';
import type { WrongListener } from './verify-listener';

/** Listeners behind something that turns notifications away: a route, or a rate limit. */
export const wrongRoutes: readonly WrongListener[] = [
  {
    does: 'has a rate limit that is used up',
    step: 'first',
    cause: 'a rate limit',
    merchant: answering((response) => response.writeHead(429).end()),
  },
  {
    does: 'takes JSON only with a charset in its media type',
    step: 'first',
    cause: 'another media type',
    merchant: answering((response) => response.writeHead(415).end()),
  },
  {
    does: 'finds a payment without a document number invalid',
    step: 'first',
    cause: 'a schema refuses the body',
    merchant: {
      ...answering((response) => response.writeHead(500).end()),
      isLetIn: right.isLetIn,
      respond: (response, _outcome, { kind }) => response.writeHead(kind === 'payment' ? 422 : 200).end(),
      bookedAs: () => undefined,
    },
  },
  {
    does: 'answers 400 to every body',
    step: 'first',
    cause: 'a schema refuses the body',
    merchant: answering((response) => response.writeHead(400).end('Bad Request')),
  },
  {
    does: 'has a route that no query may follow',
    step: 'refund',
    cause: 'takes no query',
    merchant: {
      isLetIn: (header, url) => url.search === '' && right.isLetIn(header, url, ''),
      refuse: (response) => response.writeHead(404).end(),
    },
  },
  {
    does: 'has a route that needs a query',
    step: 'first',
    cause: 'needs a query',
    merchant: {
      isLetIn: (header, url) => url.search !== '' && right.isLetIn(header, url, ''),
      refuse: (response) => response.writeHead(404).end(),
    },
  },
  {
    does: 'knows a payout by `type=payout` alone, and refuses one that failed',
    step: 'failedPayout',
    cause: '`type=payout` is needed',
    merchant: {
      isLetIn: (header, url) =>
        (url.searchParams.has('type') || !url.searchParams.has('payout')) && right.isLetIn(header, url, ''),
      refuse: (response) => response.writeHead(404).end(),
    },
  },
];
