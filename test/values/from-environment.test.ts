import { afterEach, expect, it, vi } from 'vitest';
import { fromEnvironment } from '../../src/values/credentials';
import { failureOf } from './support';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

it('fromEnvironment reads process.env when no other environment is given', () => {
  vi.stubEnv('PAYMENTS_BASE_URL', 'https://service.example');
  vi.stubEnv('PAYMENTS_API_KEY', 'k');
  expect(fromEnvironment(['baseUrl', 'apiKey'])).toEqual({ baseUrl: 'https://service.example', apiKey: 'k' });
});

it('fromEnvironment names each missing variable, also on a platform without process', () => {
  expect(
    failureOf(() => fromEnvironment(['apiKey', 'apiToken'], { PAYMENTS_API_KEY: '' })).message,
  ).toContain(
    'Expected the environment to have PAYMENTS_API_KEY, PAYMENTS_API_TOKEN. Is the .env file loaded?',
  );
  vi.stubGlobal('process', undefined);
  const error = failureOf(() => fromEnvironment(['apiKey']));
  vi.unstubAllGlobals();
  expect(error).toMatchObject({ code: 'configuration' });
});
