import { PaymentsClient } from 'pix-automatic-sdk';
import {
  ConfigurationError,
  checkAuthorization,
  credentialsFromEnv,
  verifyAuthorization,
} from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';

const env = { PAYMENTS_API_KEY: 'key-1', PAYMENTS_API_TOKEN: 'token-1' };

afterEach(() => vi.unstubAllEnvs());

describe('credentialsFromEnv', () => {
  it('reads the pair that notifications are verified with', () => {
    const credentials = credentialsFromEnv(env);
    expect(credentials).toEqual([{ apiKey: 'key-1', apiToken: 'token-1' }]);
    expect(verifyAuthorization(`Basic ${btoa('key-1:token-1')}`, credentials)).toBe(true);
  });

  it('reads process.env when nothing is passed', () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(credentialsFromEnv()).toEqual([{ apiKey: 'key-1', apiToken: 'token-1' }]);
  });

  it.each(Object.keys(env))('names %s, and no other variable, when it is missing or empty', (name) => {
    for (const value of [undefined, '']) {
      const read = () => credentialsFromEnv({ ...env, [name]: value });
      expect(read).toThrow(ConfigurationError);
      expect(read).toThrow(new RegExp(`Expected the environment to have ${name}\\.`));
    }
  });

  describe('during a rotation', () => {
    const previous = { PAYMENTS_API_KEY_PREVIOUS: 'key-0', PAYMENTS_API_TOKEN_PREVIOUS: 'token-0' };

    it('adds the previous pair as the second one, so that notifications with either are accepted', () => {
      const credentials = credentialsFromEnv({ ...env, ...previous });
      expect(credentials).toEqual([
        { apiKey: 'key-1', apiToken: 'token-1' },
        { apiKey: 'key-0', apiToken: 'token-0' },
      ]);
      const check = (pair: string) => checkAuthorization(`Basic ${btoa(pair)}`, credentials);
      expect(check('key-1:token-1')).toEqual({ ok: true, index: 0 });
      expect(check('key-0:token-0')).toEqual({ ok: true, index: 1 });
      expect(check('key-0:token-1')).toEqual({ ok: false, reason: 'mismatch' });
    });

    it.each(Object.keys(previous))(
      'names %s, and no other variable, when only the other half is set',
      (name) => {
        for (const value of [undefined, '']) {
          const read = () => credentialsFromEnv({ ...env, ...previous, [name]: value });
          expect(read).toThrow(ConfigurationError);
          expect(read).toThrow(new RegExp(`Expected the environment to have ${name}\\.`));
        }
      },
    );

    it('has ended when both variables are missing or empty', () => {
      const empty = { PAYMENTS_API_KEY_PREVIOUS: '', PAYMENTS_API_TOKEN_PREVIOUS: '' };
      expect(credentialsFromEnv({ ...env, ...empty })).toHaveLength(1);
    });

    it('does not replace a current pair that is missing', () => {
      expect(() => credentialsFromEnv(previous)).toThrow('have PAYMENTS_API_KEY, PAYMENTS_API_TOKEN.');
    });
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
