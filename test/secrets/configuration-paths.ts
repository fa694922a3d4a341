import { PaymentsClient } from 'pix-automatic-sdk';
import { credentials, marked } from './marks';
import { type Paths, pathsOver } from './path';

const { apiKey, apiToken, cpf } = marked;
const baseUrl = 'https://service.example';

/** Invalid credentials, of every kind that is refused. */
const badCredentials = {
  'a line break': `${apiKey}\n`,
  'a space': ` ${apiKey}`,
  'a header': `${apiKey}\r\nx-injected: 1`,
  'a NUL': `${apiKey}\u0000`,
  'a character beyond Latin-1': `${apiKey}\u200b`,
  'a colon': `${apiKey}:${apiToken}`,
  'a list': [apiKey, apiToken],
  'an object': { apiKey },
  'a number': Number(cpf),
};
// A token may have a colon.
const { 'a colon': _, ...badTokens } = badCredentials;

type Pair = typeof credentials;

/** Pairs that are refused. */
export const badPairs: Readonly<Record<string, Pair>> = Object.fromEntries([
  ...Object.entries(badCredentials).map(([what, bad]) => [`apiKey with ${what}`, { apiKey: bad, apiToken }]),
  ...Object.entries(badTokens).map(([what, bad]) => [`apiToken with ${what}`, { apiKey, apiToken: bad }]),
  ['no apiToken', { apiKey, apiToken: '' }],
  ['no apiKey', { apiKey: undefined, apiToken }],
]);

const badUrls = [
  `https://${apiKey}:${apiToken}@service.example`,
  `${apiKey}:${apiToken}`,
  `https://service.example/?key=${apiKey}`,
  `https://service.example/#${apiToken}`,
  `http://${apiKey}.example`,
  `https://[${apiKey}`,
  apiToken,
];
const environment = { PAYMENTS_BASE_URL: baseUrl, PAYMENTS_API_TOKEN: apiToken };

export const configurationPaths: Paths = {
  ...pathsOver('new PaymentsClient', badPairs, (pair) => new PaymentsClient({ baseUrl, ...pair })),
  ...pathsOver('new PaymentsClient: base URL', badUrls, (bad) => {
    return new PaymentsClient({ baseUrl: bad, ...credentials });
  }),
  'new PaymentsClient: a string instead of options': () => new PaymentsClient(apiKey as never),
  'new PaymentsClient: userAgent': () =>
    new PaymentsClient({ baseUrl, ...credentials, userAgent: `${apiKey}\n` }),
  'fromEnv: a missing variable': () => PaymentsClient.fromEnv(environment),
  'fromEnv: a variable with a line break': () =>
    PaymentsClient.fromEnv({
      ...environment,
      PAYMENTS_API_KEY: apiKey,
      PAYMENTS_API_TOKEN: `${apiToken}\n`,
    }),
};
