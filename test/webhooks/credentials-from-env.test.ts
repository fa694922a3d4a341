import { PaymentsClient } from 'pix-automatic-sdk';
import { ConfigurationError, credentialsFromEnv, verifyAuthorization } from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';

const env = { PAYMENTS_API_KEY: 'key-1', PAYMENTS_API_TOKEN: 'token-1' };

afterEach(() => vi.unstubAllEnvs());

describe('credentialsFromEnv', () => {
  it('reads the pair that notifications are verified with', () => {
    const credentials = credentialsFromEnv(env);
    expect(credentials).toEqual({ apiKey: 'key-1', apiToken: 'token-1' });
    expect(verifyAuthorization(`Basic ${btoa('key-1:token-1')}`, credentials)).toBe(true);
  });

  it('reads process.env when nothing is passed', () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(credentialsFromEnv()).toEqual({ apiKey: 'key-1', apiToken: 'token-1' });
  });

  it.each(Object.keys(env))('names %s, and no other variable, when it is missing or empty', (name) => {
    for (const value of [undefined, '']) {
      const read = () => credentialsFromEnv({ ...env, [name]: value });
      expect(read).toThrow(ConfigurationError);
      expect(read).toThrow(new RegExp(`Expected the environment to have ${name}\\.`));
    }
  });

  it('reads the variables that PaymentsClient.fromEnv reads, and needs no base URL', () => {
    const PAYMENTS_BASE_URL = 'https://api.example.com';
    expect(() => PaymentsClient.fromEnv({ PAYMENTS_BASE_URL })).toThrow(
      'PAYMENTS_API_KEY, PAYMENTS_API_TOKEN',
    );
    expect(() => credentialsFromEnv({ PAYMENTS_BASE_URL })).toThrow('PAYMENTS_API_KEY, PAYMENTS_API_TOKEN');
    expect(() => PaymentsClient.fromEnv({ ...env, PAYMENTS_BASE_URL })).not.toThrow();
  });
});
