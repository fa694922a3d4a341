import { Buffer } from 'node:buffer';
import { pair, readPair, rightHeader } from './merchant';
import { accused, type WrongListener } from './verify-listener';

const { apiKey, apiToken } = pair;
const hanging = { limitMs: 1_000 };

export const wrongCredentials: readonly WrongListener[] = [
  ...accused('pairs', 'not compared', {
    'checks no credentials': { isLetIn: () => true },
    'looks whether there is an Authorization header, and not which one': {
      isLetIn: (header) => header !== undefined,
    },
  }),
  ...accused('pairs', 'only where there is one', {
    'checks the header only where there is one': {
      isLetIn: (header) => header === undefined || header === rightHeader,
    },
  }),
  ...accused('pairs', 'only in part', {
    'checks the key alone': { isLetIn: (header) => readPair(header)[0] === apiKey },
    'checks the token alone': { isLetIn: (header) => readPair(header)[1] === apiToken },
    'accepts a truncated token': {
      isLetIn(header) {
        const [key, token = ''] = readPair(header);
        return key === apiKey && token !== '' && apiToken.startsWith(token);
      },
    },
    'accepts whatever begins with the token': {
      isLetIn(header) {
        const [key, token = ''] = readPair(header);
        return key === apiKey && token.startsWith(apiToken);
      },
    },
  }),
  ...accused('pairs', 'with an empty pair', {
    'accepts an empty pair, because its own was empty at the start': () => {
      const unset = { apiKey: '', apiToken: '' };
      const isLetIn = (header: string | undefined) => {
        const [key, token] = readPair(header);
        return [pair, unset].some((known) => key === known.apiKey && token === known.apiToken);
      };
      return { isLetIn };
    },
  }),
  ...accused('pairs', 'only in part', {
    'compares a token only where there is one': {
      isLetIn(header) {
        const [key, token] = readPair(header);
        return key === apiKey && (!token || token === apiToken);
      },
    },
    'compares a key only where there is one': {
      isLetIn(header) {
        const [key, token] = readPair(header);
        return (!key || key === apiKey) && token === apiToken;
      },
    },
    'compares the key with both': {
      isLetIn(header) {
        const [key, token = ''] = readPair(header);
        return key === apiKey && [apiKey, apiToken].includes(token);
      },
    },
  }),
  ...accused('pairs', 'in any case or order', {
    'takes key and token in any order': {
      isLetIn: (header) => readPair(header).toSorted().join() === [apiKey, apiToken].toSorted().join(),
    },
    'compares the header in lower case, Base64 and all': {
      isLetIn: (header) => header?.toLowerCase() === rightHeader.toLowerCase(),
    },
  }),
  ...accused('pairs', 'only in part', {
    'accepts every scheme': {
      isLetIn: (header) => header?.split(' ').at(-1) === rightHeader.split(' ').at(-1),
    },
    'looks for key and token anywhere in the header': {
      isLetIn(header = '') {
        const seen = header + Buffer.from(header.replace(/^\w+ /, ''), 'base64').toString();
        return seen.includes(apiKey) && seen.includes(apiToken);
      },
    },
  }),
  ...accused('kindsWithoutPair', 'for some kinds alone', {
    'checks the credentials of payments alone': {
      isLetIn: (header, url) => header === rightHeader || url.search !== '',
    },
  }),
  ...accused('pairs', 'an error or none', {
    // biome-ignore lint/style/noNonNullAssertion: this is the mistake.
    'crashes when there is no Authorization header': { isLetIn: (header) => header!.trim() === rightHeader },
  }),
  ...accused('pairs', 'is a success', {
    'answers 200 to wrong credentials, and does nothing': {
      refuse: (response) => response.writeHead(200).end(),
    },
  }),
  ...accused('methods', 'not checked for this method', {
    'checks no credentials of PUT': {
      isLetIn: (header, _url, method) => method === 'PUT' || header === rightHeader,
    },
    'checks no credentials of GET': {
      isLetIn: (header, _url, method) => method === 'GET' || header === rightHeader,
    },
  }),
  ...accused('secrets', 'the expected value', {
    'puts the right credentials into its 401': {
      refuse: (response) => response.writeHead(401).end(`Expected ${rightHeader}`),
    },
    'puts the right token into a cookie of its 401': {
      refuse: (response) => response.writeHead(401, { 'set-cookie': `expected=${apiToken}` }).end(),
    },
    'puts the right token at the end of a long page about the error': {
      refuse: (response) => response.writeHead(401).end(`${'<p>stack</p>'.repeat(900)}${apiToken}`),
    },
  }),
  ...accused('secrets', 'shows the request', {
    'puts the headers it got into its response': {
      respond: (response, _outcome, { header }) => response.writeHead(200).end(JSON.stringify({ header })),
    },
    'puts the header it got into a header of its response': {
      respond: (response, _outcome, { header }) =>
        response.writeHead(200, { 'x-authorization': header ?? '' }).end(),
    },
  }),
  ...accused('pairs', 'an error or none', {
    'hangs instead of answering 401': { refuse: () => undefined },
    'hangs when there are no credentials at all': {
      refuse: (response, header) => (header === undefined ? undefined : void response.writeHead(401).end()),
    },
  }).map((listener) => ({ ...listener, ...hanging })),
];
