import { isLoopback } from '../client/base-url';
import { ConfigurationError } from '../errors';
import { defaultCredentials } from '../sandbox/credentials';
import type { Credentials } from '../service/credentials';
import { assertCredentials } from '../values/credentials';
import { usageFailure } from './failure';

/** Where credentials are sent. */
export interface Target {
  readonly url: string;
  /** This machine, or a network that the caller vouches for: the sandbox's own pair may be sent there. */
  readonly isDevelopment: boolean;
}

export interface TargetOptions {
  /** For a network of containers, whose names are no loopback. */
  readonly allowInsecureHttp?: boolean;
}

/** A listener's or a sandbox's URL. The credentials go there, so it is https or on this machine. */
export function parseTarget(option: string, text: string, options: TargetOptions = {}): Target {
  const url = parseHttpUrl(option, text);
  if (url.username !== '' || url.password !== '') {
    throw usageFailure(
      `Expected \`${option}\` without user and password: PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are sent there.`,
    );
  }
  const loopback = isLoopback(url.hostname);
  const isVouchedFor = options.allowInsecureHttp === true && url.protocol === 'http:';
  if (url.protocol !== 'https:' && !loopback && !isVouchedFor) {
    throw usageFailure(
      `Expected \`${option}\` to be an https URL, or one of this machine such as http://127.0.0.1:3000. ` +
        'The credentials are sent there, and plain http would show them to the network. ' +
        'For a network of your own, such as that of Docker Compose, pass `--allow-insecure-http`.',
    );
  }
  url.hash = '';
  return { url: url.href, isDevelopment: loopback || isVouchedFor };
}

/** An absolute http or https URL. No message quotes it: it may hold a secret. */
export function parseHttpUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usageFailure(
      `Expected \`${option}\` to be an absolute URL such as http://127.0.0.1:3000/webhooks.`,
    );
  }
  return url;
}

/** A pair to send, and where it is from: the pair itself is never shown. */
export interface ChosenCredentials {
  readonly credentials: Credentials;
  readonly source: 'environment' | 'sandbox-default';
}

/**
 * The pair of the environment. Without one, the sandbox's own pair, which is no secret. It opens only listeners under
 * development, so it is sent only to this machine or to a network the caller vouches for.
 */
export function credentialsFromEnvironment(isDevelopment: boolean): ChosenCredentials {
  const apiKey = process.env['PAYMENTS_API_KEY'];
  const apiToken = process.env['PAYMENTS_API_TOKEN'];
  if (!apiKey && !apiToken && isDevelopment) {
    return { credentials: defaultCredentials, source: 'sandbox-default' };
  }
  if (!apiKey || !apiToken) {
    const missing = [apiKey ? [] : 'PAYMENTS_API_KEY', apiToken ? [] : 'PAYMENTS_API_TOKEN'].flat();
    throw usageFailure(
      `Expected ${missing.join(' and ')} in the environment: the pair that the other side expects. ` +
        'Credentials are not taken as arguments, because every process of the machine can read those.',
    );
  }
  try {
    assertCredentials({ apiKey, apiToken });
  } catch (error) {
    if (error instanceof ConfigurationError) throw usageFailure(error.message);
    throw error;
  }
  return { credentials: { apiKey, apiToken }, source: 'environment' };
}
