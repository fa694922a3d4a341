import { Buffer } from 'node:buffer';
import { pair, readPair, rightHeader } from './merchant';
import { accused, named, type WrongListener } from './verify-listener';

const { apiKey, apiToken } = pair;
const hanging = { ...named('hangsOnForged', /Answer 401 if they differ/), limitMs: 1_000 };
const leaks = named('leaks', /never send headers, the expected value/);

export const wrongCredentials: readonly WrongListener[] = [
  ...accused(named('checksNothing', /call `verifyAuthorization`/), {
    'checks no credentials': { isLetIn: () => true },
  }),
  ...accused(named('checksHeaderAlone', /looks whether there is a pair/), {
    'looks whether there is an Authorization header, and not which one': {
      isLetIn: (header) => header !== undefined,
    },
  }),
  ...accused(named('letsNoneIn', /A request without `Authorization` must get 401/), {
    'checks the header only where there is one': {
      isLetIn: (header) => header === undefined || header === rightHeader,
    },
  }),
  ...accused(named('checksKeyAlone', /checks the key alone/), {
    'checks the key alone': { isLetIn: (header) => readPair(header)[0] === apiKey },
  }),
  ...accused(named('checksTokenAlone', /checks the token alone/), {
    'checks the token alone': { isLetIn: (header) => readPair(header)[1] === apiToken },
  }),
  ...accused(named('shortToken', /only the beginning of the right one/), {
    'accepts a truncated token': {
      isLetIn(header) {
        const [key, token = ''] = readPair(header);
        return key === apiKey && token !== '' && apiToken.startsWith(token);
      },
    },
  }),
  ...accused(named('longToken', /whatever begins with the right token/), {
    'accepts whatever begins with the token': {
      isLetIn(header) {
        const [key, token = ''] = readPair(header);
        return key === apiKey && token.startsWith(apiToken);
      },
    },
  }),
  ...accused(named('ownPairEmpty', /Refuse to start without credentials/), {
    'accepts an empty pair, because its own was empty at the start': () => {
      const unset = { apiKey: '', apiToken: '' };
      const isLetIn = (header: string | undefined) => {
        const [key, token] = readPair(header);
        return [pair, unset].some((known) => key === known.apiKey && token === known.apiToken);
      };
      return { isLetIn };
    },
  }),
  ...accused(named('ignoresCase', /case-sensitive/), {
    'compares the token in any case': {
      isLetIn(header) {
        const [key, token] = readPair(header);
        return key === apiKey && token?.toLowerCase() === apiToken.toLowerCase();
      },
    },
    'compares the header in lower case, Base64 and all': {
      isLetIn: (header) => header?.toLowerCase() === rightHeader.toLowerCase(),
    },
  }),
  ...accused(named('anyScheme', /does not look at the scheme/), {
    'accepts every scheme': {
      isLetIn: (header) => header?.split(' ').at(-1) === rightHeader.split(' ').at(-1),
    },
  }),
  ...accused(named('searchesPair', /anywhere in the header/), {
    'looks for key and token anywhere in the header': {
      isLetIn(header = '') {
        const seen = header + Buffer.from(header.replace(/^\w+ /, ''), 'base64').toString();
        return seen.includes(apiKey) && seen.includes(apiToken);
      },
    },
  }),
  ...accused(named('paymentsAlone', /before you look at the kind/), {
    'checks the credentials of payments alone': {
      isLetIn: (header, url) => header === rightHeader || url.search !== '',
    },
  }),
  ...accused(named('goesOn', /Return after the 401/), {
    'answers 401 and acts all the same': ({ rows }) => {
      let number = 0;
      return {
        refuse(response) {
          rows.push({ kind: 'payment', subject: `forged-${number++}`, amount: 1 });
          response.writeHead(401).end();
        },
      };
    },
  }),
  ...accused(named('crashesOnForged', /broken `Authorization` header is usual/), {
    // biome-ignore lint/style/noNonNullAssertion: this is the mistake.
    'crashes when there is no Authorization header': { isLetIn: (header) => header!.trim() === rightHeader },
  }),
  ...accused(named('acceptsForged', /its payments are lost/), {
    'answers 200 to wrong credentials, and does nothing': {
      refuse: (response) => response.writeHead(200).end(),
    },
  }),
  ...accused(named('otherMethods', /of these methods: PUT, GET/), {
    'checks no credentials of every other method than POST': {
      isLetIn: (header, _url, method) => method !== 'POST' || header === rightHeader,
    },
  }),
  ...accused(named('otherMethods', /of these methods: PUT\./), {
    'checks no credentials of PUT': {
      isLetIn: (header, _url, method) => method === 'PUT' || header === rightHeader,
    },
  }),
  ...accused(named('otherMethods', /of these methods: GET\./), {
    'checks no credentials of GET': {
      isLetIn: (header, _url, method) => method === 'GET' || header === rightHeader,
    },
  }),
  ...accused(leaks, {
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
  ...accused(leaks, {
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
