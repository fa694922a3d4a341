import { Buffer } from 'node:buffer';
import { pair, readPair, rightHeader, startMerchant } from './merchant';
import type { WrongListener } from './wrong-listeners';

const { apiKey, apiToken } = pair;
const fails = ['credentials'];
const advice = /Compare the whole `Authorization` header/;

export const wrongCredentials: readonly WrongListener[] = [
  {
    does: 'checks no credentials',
    fails,
    advice,
    start: () => startMerchant({ isLetIn: () => true }),
  },
  {
    does: 'checks the key alone',
    fails,
    advice,
    start: () => startMerchant({ isLetIn: (header) => readPair(header)[0] === apiKey }),
  },
  {
    does: 'checks the token alone',
    fails,
    advice,
    start: () => startMerchant({ isLetIn: (header) => readPair(header)[1] === apiToken }),
  },
  {
    does: 'accepts a truncated token',
    fails,
    advice,
    start: () =>
      startMerchant({
        isLetIn(header) {
          const [key, token = ''] = readPair(header);
          return key === apiKey && token !== '' && apiToken.startsWith(token);
        },
      }),
  },
  {
    does: 'accepts whatever begins with the token',
    fails,
    advice,
    start: () =>
      startMerchant({
        isLetIn(header) {
          const [key, token = ''] = readPair(header);
          return key === apiKey && token.startsWith(apiToken);
        },
      }),
  },
  {
    does: 'accepts an empty pair, because its own was empty at the start',
    fails,
    advice,
    start: () => {
      const unset = { apiKey: '', apiToken: '' };
      const isLetIn = (header: string | undefined) => {
        const [key, token] = readPair(header);
        return [pair, unset].some((known) => key === known.apiKey && token === known.apiToken);
      };
      return startMerchant({ isLetIn });
    },
  },
  {
    does: 'compares the token in any case',
    fails,
    advice,
    start: () =>
      startMerchant({
        isLetIn(header) {
          const [key, token] = readPair(header);
          return key === apiKey && token?.toLowerCase() === apiToken.toLowerCase();
        },
      }),
  },
  {
    does: 'compares the header in lower case, Base64 and all',
    fails,
    advice,
    start: () => startMerchant({ isLetIn: (header) => header?.toLowerCase() === rightHeader.toLowerCase() }),
  },
  {
    does: 'accepts every scheme',
    fails,
    advice,
    start: () =>
      startMerchant({ isLetIn: (header) => header?.split(' ').at(-1) === rightHeader.split(' ').at(-1) }),
  },
  {
    does: 'looks for key and token anywhere in the header',
    fails,
    advice,
    start: () =>
      startMerchant({
        isLetIn(header = '') {
          const seen = header + Buffer.from(header.replace(/^\w+ /, ''), 'base64').toString();
          return seen.includes(apiKey) && seen.includes(apiToken);
        },
      }),
  },
  {
    does: 'checks the credentials of payments alone',
    fails,
    advice,
    start: () => startMerchant({ isLetIn: (header, url) => header === rightHeader || url.search !== '' }),
  },
  {
    does: 'answers 401 and acts all the same',
    fails,
    advice,
    start: () =>
      startMerchant(({ counts }) => ({
        refuse(response) {
          counts['payment'] = (counts['payment'] ?? 0) + 1;
          response.writeHead(401).end();
        },
      })),
  },
  {
    does: 'crashes when there is no Authorization header',
    fails,
    advice,
    // biome-ignore lint/style/noNonNullAssertion: this is the mistake.
    start: () => startMerchant({ isLetIn: (header) => header!.trim() === rightHeader }),
  },
  {
    does: 'answers 200 to wrong credentials, and does nothing',
    fails,
    advice,
    start: () => startMerchant({ refuse: (response) => response.writeHead(200).end() }),
  },
  {
    does: 'puts the right credentials into its 401',
    fails: ['no-secrets'],
    advice: /Answer 401 with a fixed text/,
    start: () =>
      startMerchant({ refuse: (response) => response.writeHead(401).end(`Expected ${rightHeader}`) }),
  },
  {
    does: 'puts the headers it got into its response',
    fails: ['no-secrets'],
    advice: /Never send headers/,
    start: () =>
      startMerchant({
        respond: (response, _outcome, { header }) => response.writeHead(200).end(JSON.stringify({ header })),
      }),
  },
  {
    does: 'puts the header it got into a header of its response',
    fails: ['no-secrets'],
    advice: /Never send headers/,
    start: () =>
      startMerchant({
        respond: (response, _outcome, { header }) =>
          response.writeHead(200, { 'x-authorization': header ?? '' }).end(),
      }),
  },
  {
    does: 'puts the right token into a cookie of its 401',
    fails: ['no-secrets'],
    advice: /Answer 401 with a fixed text/,
    start: () =>
      startMerchant({
        refuse: (response) => response.writeHead(401, { 'set-cookie': `expected=${apiToken}` }).end(),
      }),
  },
  {
    does: 'puts the right token at the end of a long page about the error',
    fails: ['no-secrets'],
    advice: /Answer 401 with a fixed text/,
    start: () =>
      startMerchant({
        refuse: (response) => response.writeHead(401).end(`${'<p>stack</p>'.repeat(900)}${apiToken}`),
      }),
  },
  ...(
    [
      ['every other method than POST', (method: string) => method !== 'POST'],
      ['PUT', (method: string) => method === 'PUT'],
      ['GET', (method: string) => method === 'GET'],
    ] as const
  ).map(
    ([what, isOpen]): WrongListener => ({
      does: `checks no credentials of ${what}`,
      fails,
      advice,
      start: () =>
        startMerchant({ isLetIn: (header, _url, method) => isOpen(method) || header === rightHeader }),
    }),
  ),
  {
    does: 'hangs instead of answering 401',
    fails,
    advice: /answer 401 if they differ/,
    limitMs: 1_500,
    start: () => startMerchant({ refuse: () => undefined }),
  },
  {
    does: 'hangs when there are no credentials at all',
    fails,
    advice: /answer 401 if they differ/,
    limitMs: 1_500,
    start: () =>
      startMerchant({
        refuse: (response, header) => (header === undefined ? undefined : void response.writeHead(401).end()),
      }),
  },
];
