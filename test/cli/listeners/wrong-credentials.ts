import { Buffer } from 'node:buffer';
import { pair, readPair, rightHeader } from './merchant';
import { accused, reports, type WrongListener } from './verify-listener';

const { apiKey, apiToken } = pair;
const letIn = reports('credentials', /Compare the whole `Authorization` header/);
const hanging = { ...letIn, advice: /answer 401 if they differ/, limitMs: 1_500 };
const leaking = reports('no-secrets', /Answer 401 with a fixed text/);
const echoing = reports('no-secrets', /Never send headers/);

export const wrongCredentials: readonly WrongListener[] = [
  ...accused(letIn, {
    'checks no credentials': { isLetIn: () => true },
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
    'accepts an empty pair, because its own was empty at the start': () => {
      const unset = { apiKey: '', apiToken: '' };
      const isLetIn = (header: string | undefined) => {
        const [key, token] = readPair(header);
        return [pair, unset].some((known) => key === known.apiKey && token === known.apiToken);
      };
      return { isLetIn };
    },
    'compares the token in any case': {
      isLetIn(header) {
        const [key, token] = readPair(header);
        return key === apiKey && token?.toLowerCase() === apiToken.toLowerCase();
      },
    },
    'compares the header in lower case, Base64 and all': {
      isLetIn: (header) => header?.toLowerCase() === rightHeader.toLowerCase(),
    },
    'accepts every scheme': {
      isLetIn: (header) => header?.split(' ').at(-1) === rightHeader.split(' ').at(-1),
    },
    'looks for key and token anywhere in the header': {
      isLetIn(header = '') {
        const seen = header + Buffer.from(header.replace(/^\w+ /, ''), 'base64').toString();
        return seen.includes(apiKey) && seen.includes(apiToken);
      },
    },
    'checks the credentials of payments alone': {
      isLetIn: (header, url) => header === rightHeader || url.search !== '',
    },
    'answers 401 and acts all the same': ({ counts }) => ({
      refuse(response) {
        counts['payment'] = (counts['payment'] ?? 0) + 1;
        response.writeHead(401).end();
      },
    }),
    // biome-ignore lint/style/noNonNullAssertion: this is the mistake.
    'crashes when there is no Authorization header': { isLetIn: (header) => header!.trim() === rightHeader },
    'answers 200 to wrong credentials, and does nothing': {
      refuse: (response) => response.writeHead(200).end(),
    },
    'checks no credentials of every other method than POST': {
      isLetIn: (header, _url, method) => method !== 'POST' || header === rightHeader,
    },
    'checks no credentials of PUT': {
      isLetIn: (header, _url, method) => method === 'PUT' || header === rightHeader,
    },
    'checks no credentials of GET': {
      isLetIn: (header, _url, method) => method === 'GET' || header === rightHeader,
    },
  }),
  ...accused(leaking, {
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
  ...accused(echoing, {
    'puts the headers it got into its response': {
      respond: (response, _outcome, { header }) => response.writeHead(200).end(JSON.stringify({ header })),
    },
    'puts the header it got into a header of its response': {
      respond: (response, _outcome, { header }) =>
        response.writeHead(200, { 'x-authorization': header ?? '' }).end(),
    },
  }),
  ...accused(hanging, {
    'hangs instead of answering 401': { refuse: () => undefined },
    'hangs when there are no credentials at all': {
      refuse: (response, header) => (header === undefined ? undefined : void response.writeHead(401).end()),
    },
  }),
];
