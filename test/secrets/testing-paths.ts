import { http } from 'msw';
import {
  basicAuthorization,
  crashBeforeCommit,
  fixtures,
  mockService,
  notificationRequest,
  testOrders,
} from 'pix-automatic-sdk/testing';
import { badPairs } from './configuration-paths';
import { authorization, credentials, marked } from './marks';
import { type Paths, pathsOver } from './path';
import { bodies } from './webhook-paths';

const { apiKey, apiToken, cpf, email } = marked;
const bad = `${apiKey}:${apiToken}@${email}`;

const badFixtures = Object.entries(fixtures).map(([name, fixture]) =>
  pathsOver(`fixtures.${name}`, bodies, (body) => {
    // A valid fixture is the test's own data, which is meant to be read.
    (fixture as (overrides: unknown) => unknown)(body);
  }),
);

export const testingPaths: Paths = Object.assign(
  {
    'notificationRequest: an unknown kind': () => notificationRequest(email as 'payment', {}, credentials),
    'notificationRequest: an invalid URL': () =>
      notificationRequest('payment', {}, credentials, { url: bad }),
    'mockService: an invalid base URL': () => mockService({ http, baseUrl: `ftp://${bad}` }),
    'crashBeforeCommit: no store': () => crashBeforeCommit(email as never),
    'testOrders: no store': () => testOrders(() => undefined as never, { store: email as never }),
    'mockService: an unknown transaction': () => mockService({ http, credentials }).pay(cpf),
    'mockService: a payload that is not an object': () =>
      mockService({ http, deliverTo: async () => new Response(authorization) }).notify(cpf as never),
  },
  pathsOver('basicAuthorization', badPairs, basicAuthorization),
  pathsOver('notificationRequest', badPairs, (pair) => notificationRequest('payment', {}, pair)),
  pathsOver('mockService', badPairs, (pair) => mockService({ http, credentials: pair })),
  ...badFixtures,
);
