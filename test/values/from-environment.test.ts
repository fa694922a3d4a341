import { afterEach, expect, it, vi } from 'vitest';
import { clientOptionsFromEnv, credentialsFromEnv } from '../../src/values/credentials';
import { failureOf } from './support';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

it('clientOptionsFromEnv reads process.env when no other environment is given', () => {
  vi.stubEnv('PAYMENTS_BASE_URL', 'https://service.example');
  vi.stubEnv('PAYMENTS_API_KEY', 'k');
  vi.stubEnv('PAYMENTS_API_TOKEN', 't');
  vi.stubEnv('PAYMENTS_ALLOW_INSECURE_HTTP', 'true');
  expect(clientOptionsFromEnv()).toEqual({
    baseUrl: 'https://service.example',
    apiKey: 'k',
    apiToken: 't',
    allowInsecureHttp: true,
  });
});

it.each([clientOptionsFromEnv, credentialsFromEnv])(
  '%o names each missing variable, also on a platform without process',
  (read) => {
    const missing = failureOf(() =>
      read({ PAYMENTS_BASE_URL: 'https://service.example', PAYMENTS_API_KEY: '' }),
    );
    expect(missing.message).toContain(
      'Expected the environment to have PAYMENTS_API_KEY, PAYMENTS_API_TOKEN. Is the .env file loaded?',
    );
    vi.stubGlobal('process', undefined);
    const error = failureOf(() => read());
    vi.unstubAllGlobals();
    expect(error).toMatchObject({ code: 'configuration' });
  },
);
