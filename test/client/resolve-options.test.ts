import { ConfigurationError, VERSION } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { resolveLimits, resolveOptions, resolveSignal } from '../../src/client/options';

const given = { baseUrl: 'https://service.example', apiKey: 'k', apiToken: 't' };

/** The message of the `ConfigurationError` that a function throws. */
function refusal(run: () => unknown): string {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigurationError);
  return (thrown as ConfigurationError).message;
}

it('resolveOptions fills in the documented defaults', () => {
  expect(resolveOptions(given)).toEqual({
    ...given,
    limits: { timeoutMs: 30_000, totalTimeoutMs: 90_000, maxRetries: 2 },
    maxResponseBytes: 1_048_576,
    fetch: undefined,
    userAgent: `pix-automatic-sdk/${VERSION}`,
  });
});

it('a custom fetch is refused unless it is a function', () => {
  const fetch = () => Promise.reject();
  expect(resolveOptions({ ...given, fetch })).toMatchObject({ fetch });
  expect(refusal(() => resolveOptions({ ...given, fetch: 'fetch' as never }))).toContain(
    'Expected `fetch` to be a function',
  );
});

it.each([undefined, null, 'https://service.example', 7])('%j instead of options is refused', (wrong) => {
  expect(refusal(() => resolveOptions(wrong as never))).toMatch(
    /Expected `new PaymentsClient\(.+`PaymentsClient\.fromEnv\(\)`.+ from the environment\./,
  );
});

describe('limits', () => {
  const defaults = { timeoutMs: 1, totalTimeoutMs: 2, maxRetries: 3 };

  it('of a call replace the limits of the client, one by one', () => {
    expect(resolveLimits({}, defaults)).toEqual(defaults);
    expect(resolveLimits({ timeoutMs: 7 }, defaults)).toEqual({ ...defaults, timeoutMs: 7 });
    expect(resolveLimits({ totalTimeoutMs: 7 }, defaults)).toEqual({ ...defaults, totalTimeoutMs: 7 });
    expect(resolveLimits({ maxRetries: 0 }, defaults)).toEqual({ ...defaults, maxRetries: 0 });
  });
});

describe('a signal', () => {
  it('is used as it is, and undefined and null count as no signal', () => {
    const { signal } = new AbortController();
    expect(resolveSignal(signal)).toBe(signal);
    expect(resolveSignal(undefined)).toBeUndefined();
    expect(resolveSignal(null)).toBeUndefined();
  });

  it.each([
    ['the controller', new AbortController()],
    ['text', 'signal'],
    ['an object that cannot be listened to', { aborted: false }],
    ['an object that does not say whether it fired', { addEventListener: () => undefined }],
  ])('that is %s is refused', (_, wrong) => {
    expect(refusal(() => resolveSignal(wrong as never))).toContain('Expected `signal` to be an AbortSignal');
  });
});
