import { PaymentsClient } from 'pix-automatic-sdk';
import { credentials, marked } from './marks';
import type { Path } from './path';

const { apiKey, apiToken, cpf } = marked;
const baseUrl = 'https://service.example';

/** Invalid credentials, of every kind that is refused. */
const badCredentials = [
  `${apiKey}\n`,
  ` ${apiKey}`,
  `${apiKey}\r\nx-injected: 1`,
  `${apiKey}\u0000`,
  `${apiKey}\u200b`,
  `${apiKey}:${apiToken}`,
  [apiKey, apiToken],
  { apiKey },
  Number(cpf),
];

export const badPairs: ReadonlyArray<readonly [what: string, apiKey: unknown, apiToken: unknown]> = [
  ...badCredentials.map((bad) => [`apiKey ${JSON.stringify(bad).slice(0, 9)}…`, bad, apiToken] as const),
  // A token may have a colon.
  ...badCredentials
    .filter((bad) => bad !== `${apiKey}:${apiToken}`)
    .map((bad) => [`apiToken ${JSON.stringify(bad).slice(0, 9)}…`, apiKey, bad] as const),
  ['no apiToken', apiKey, ''],
  ['no apiKey', undefined, apiToken],
];

export const configurationPaths: readonly Path[] = [
  ...badPairs.map(
    ([what, key, token]): Path => [
      `new PaymentsClient: ${what}`,
      () => new PaymentsClient({ baseUrl, apiKey: key as string, apiToken: token as string }),
    ],
  ),
  ...[
    `https://${apiKey}:${apiToken}@service.example`,
    `${apiKey}:${apiToken}`,
    `https://service.example/?key=${apiKey}`,
    `https://service.example/#${apiToken}`,
    `http://${apiKey}.example`,
    `https://[${apiKey}`,
    apiToken,
  ].map(
    (bad, index): Path => [
      `new PaymentsClient: base URL ${index + 1}`,
      () => new PaymentsClient({ baseUrl: bad, ...credentials }),
    ],
  ),
  ['new PaymentsClient: a string instead of options', () => new PaymentsClient(apiKey as never)],
  [
    'new PaymentsClient: userAgent',
    () => new PaymentsClient({ baseUrl, ...credentials, userAgent: `${apiKey}\n` }),
  ],
  [
    'fromEnv: a missing variable',
    () => PaymentsClient.fromEnv({ PAYMENTS_BASE_URL: baseUrl, PAYMENTS_API_TOKEN: apiToken }),
  ],
  [
    'fromEnv: a variable with a line break',
    () =>
      PaymentsClient.fromEnv({
        PAYMENTS_BASE_URL: baseUrl,
        PAYMENTS_API_KEY: apiKey,
        PAYMENTS_API_TOKEN: `${apiToken}\n`,
      }),
  ],
];
