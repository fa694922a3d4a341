import { http } from 'msw';
import {
  basicAuthorization,
  crashBeforeCommit,
  fixtures,
  mockService,
  notificationRequest,
  recurrencePayments,
} from 'pix-automatic-sdk/testing';
import { badPairs } from './configuration-paths';
import { authorization, credentials, marked } from './marks';
import type { Path } from './path';
import { bodies } from './webhook-paths';

const { apiKey, apiToken, cpf, email } = marked;
const pairOf = (apiKey: unknown, apiToken: unknown) => ({ apiKey, apiToken }) as typeof credentials;

const badCredentials = badPairs.flatMap(([what, key, token]): Path[] => [
  [`basicAuthorization: ${what}`, () => basicAuthorization(pairOf(key, token))],
  [`notificationRequest: ${what}`, () => notificationRequest('payment', {}, pairOf(key, token))],
  [`mockService: ${what}`, () => mockService({ http, credentials: pairOf(key, token) })],
]);

const badFixtures = Object.entries(fixtures).flatMap(([name, fixture]): Path[] =>
  Object.entries(bodies).map(([what, body]) => [
    `fixtures.${name}: ${what}`,
    // A valid fixture is the test's own data, which is meant to be read.
    () => void (fixture as (overrides: unknown) => unknown)(body),
  ]),
);

const others: Path[] = [
  ['notificationRequest: an unknown kind', () => notificationRequest(email as 'payment', {}, credentials)],
  [
    'notificationRequest: an invalid URL',
    () => notificationRequest('payment', {}, credentials, { url: `${apiKey}:${apiToken}@${email}` }),
  ],
  [
    'mockService: an invalid base URL',
    () => mockService({ http, baseUrl: `ftp://${apiKey}:${apiToken}@${email}` }),
  ],
  ['crashBeforeCommit: no store', () => crashBeforeCommit(email as never)],
  ['recurrencePayments: an invalid option', () => recurrencePayments({ initialDate: cpf })],
  ['mockService: an unknown transaction', () => mockService({ http, credentials }).pay(cpf)],
  [
    'mockService: a payload that is not an object',
    () => mockService({ http, deliverTo: async () => new Response(authorization) }).notify(cpf as never),
  ],
];

export const testingPaths: readonly Path[] = [...badCredentials, ...badFixtures, ...others];
