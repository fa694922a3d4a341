import { isLoopback } from '../client/base-url';
import { ConfigurationError } from '../errors';
import { withoutPointer } from '../errors/payments-error';
import { defaultCredentials } from '../sandbox/credentials';
import { httpUrl } from '../sandbox/delivery/listener-url';
import type { Credentials } from '../service/credentials';
import { assertCredentials } from '../values/credentials';
import { CliFailure, usageFailure } from './failure';
import { listed } from './format';
import { line } from './visible';

/** Where credentials are sent. */
export interface Target {
  readonly url: string;
  /** This machine, or a network that the caller vouches for: the sandbox's own pair may be sent there. */
  readonly isDevelopment: boolean;
}

/**
 * Reads the URL of a listener or a sandbox. Credentials are sent there, so it must be https or on this machine.
 *
 * @param allowInsecureHttp - lets plain http go to other hosts, for a network of containers: their names are not loopback
 */
export function parseTarget(option: string, text: string, allowInsecureHttp: boolean): Target {
  const url = parseHttpUrl(option, text);
  if (url.username !== '' || url.password !== '') {
    throw usageFailure(
      line`Expected \`${option}\` without user and password: set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN instead.`,
    );
  }
  const loopback = isLoopback(url.hostname);
  const isVouchedFor = allowInsecureHttp && url.protocol === 'http:';
  if (url.protocol !== 'https:' && !loopback && !isVouchedFor) {
    throw usageFailure(
      line`Expected \`${option}\` to be an https URL, or one of this machine such as http://127.0.0.1:3000. The credentials are sent there, and plain http would show them to the network. For a network of your own, such as that of Docker Compose, pass \`--allow-insecure-http\`.`,
    );
  }
  url.hash = '';
  return { url: url.href, isDevelopment: loopback || isVouchedFor };
}

/** `localhost:3000/webhooks`. */
const WITHOUT_SCHEME = /^(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/;

/** Reads an absolute http or https URL. The message does not quote it, because it may hold a secret. */
export function parseHttpUrl(option: string, text: string): URL {
  const url = httpUrl(text);
  if (url !== undefined) return url;
  const example = option === '--sandbox' ? 'http://127.0.0.1:4100' : 'http://127.0.0.1:3000/webhooks';
  const hint = WITHOUT_SCHEME.test(text) ? ' Write `http://` in front of it.' : '';
  throw usageFailure(line`Expected \`${option}\` to be an absolute URL such as ${example}.${hint}`);
}

/** The pair to send, and where it comes from. Reports show the source, never the pair. */
export interface ChosenCredentials {
  readonly credentials: Credentials;
  readonly source: 'environment' | 'sandbox-default';
}

/**
 * The pair in the environment. If there is none, the sandbox's own pair, which is no secret. Only listeners in
 * development accept that one, so it is sent only to this machine or to a network that the caller vouches for.
 */
export function credentialsFromEnvironment(isDevelopment: boolean): ChosenCredentials {
  const { PAYMENTS_API_KEY: apiKey, PAYMENTS_API_TOKEN: apiToken } = process.env;
  if (!apiKey && !apiToken && isDevelopment) {
    return { credentials: defaultCredentials, source: 'sandbox-default' };
  }
  if (!apiKey || !apiToken) {
    const missing = [apiKey ? [] : 'PAYMENTS_API_KEY', apiToken ? [] : 'PAYMENTS_API_TOKEN'].flat();
    throw usageFailure(
      line`Expected ${listed(missing)} in the environment: the credentials that the other side expects. They are not taken as arguments, because every process on the machine can read arguments.`,
    );
  }
  try {
    assertCredentials({ apiKey, apiToken });
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CliFailure(2, withoutPointer(error.message));
    throw error;
  }
  return { credentials: { apiKey, apiToken }, source: 'environment' };
}
