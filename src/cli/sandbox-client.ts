import { isLoopback } from '../client/base-url';
import { isDefaultPair } from '../sandbox/credentials';
import type { Delivery, DeliveryAttempt } from '../sandbox/delivery/delivery';
import { httpUrl } from '../sandbox/delivery/listener-url';
import type { PendingFault } from '../sandbox/faults';
import type { SandboxTransaction } from '../sandbox/model/moves';
import type { Credentials } from '../service/credentials';
import { sleep } from '../shared/time';
import { DEFAULT_SANDBOX, type Options } from './command';
import { credentialsFromEnvironment, parseTarget } from './credentials';
import { CliFailure, failure } from './failure';
import { isPlainHttp } from './output';
import { line } from './visible';

const TIMEOUT_MS = 10_000;
/** How long a command waits for the listener. The sandbox gives it 30 s for an attempt. */
const DELIVERY_WAIT_MS = 35_000;
/** After which a command says what it waits for. */
const SILENCE_MS = 5_000;
const POLL_MS = 25;

/** A journey as the sandbox lists it. */
export type ListedTransaction = SandboxTransaction;
/** A notification with its attempts, as the sandbox lists it. */
export type ListedDelivery = Delivery;
/** Calls a running sandbox: its controls, and the service's operations. */
export class SandboxClient {
  readonly #url: string;
  readonly #credentials: Credentials;

  constructor(url: string, credentials: Credentials) {
    this.#url = url.replace(/\/$/, '');
    this.#credentials = credentials;
  }

  /** Oldest first. */
  async transactions(): Promise<ListedTransaction[]> {
    return partOf(await this.call('GET', '/sandbox/transactions'), 'transactions');
  }

  /** Oldest first. */
  async deliveries(): Promise<ListedDelivery[]> {
    return partOf(await this.call('GET', '/sandbox/deliveries'), 'deliveries');
  }

  /** The faults that still wait for calls. */
  async faults(): Promise<PendingFault[]> {
    return partOf(await this.call('GET', '/sandbox/faults'), 'faults');
  }

  /** How many calls about this transaction are among the newest 500. */
  async callsAbout(uuid: string): Promise<number> {
    return partOf(await this.call('GET', `/sandbox/page/calls-about/${uuid}`), 'calls');
  }

  /** Calls a control such as `pay`, and waits for the first attempt of each notification that it sends. */
  async move(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ result: unknown; deliveries: ListedDelivery[] }> {
    const before = (await this.deliveries()).length;
    const result = await this.call(method, path, body);
    const deadline = Date.now() + DELIVERY_WAIT_MS;
    let silentUntil = Date.now() + SILENCE_MS;
    for (;;) {
      const deliveries = (await this.deliveries()).slice(before);
      const isOver = ({ attempts, status }: ListedDelivery) => attempts.length > 0 || status === 'not-sent';
      if (deliveries.every(isOver) || Date.now() > deadline) {
        return { result, deliveries };
      }
      if (Date.now() > silentUntil) {
        silentUntil = Number.POSITIVE_INFINITY;
        process.stderr.write(
          `${'Still waiting for the answer of the listener, up to 30 s. Does your route pass both to the handler, as in `handler(request, response)`?'}\n`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  /** Makes any call. @throws `CliFailure` with the sandbox's own message when the sandbox refuses */
  async call(method: string, path: string, body?: object, timeoutMs = TIMEOUT_MS): Promise<unknown> {
    const url = this.#url;
    const response = await this.#fetch(method, path, body, timeoutMs);
    const text = await response.text();
    const answer = parseJson(text);
    if (response.ok) return answer;
    if (response.status === 401) {
      throw failure(
        line`The sandbox at ${url} expects other credentials: set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN to its pair.`,
      );
    }
    const { message } = Object(answer) as { readonly message?: unknown };
    // The body of a fault: see `faults.ts`.
    if (message === 'sandbox fault')
      throw failure(`An armed fault met this call, as it meets those of a client: HTTP ${response.status}.`);
    if (typeof message === 'string') throw new CliFailure(1, message);
    throw failure(
      line`No sandbox of this version answers at ${url} (HTTP ${response.status}). Is something else listening there?`,
    );
  }

  /** Sends a notification once more. Resolves when the listener has answered, after an attempt that may be on its way. */
  async redeliver(id: string): Promise<DeliveryAttempt> {
    const path = `/sandbox/deliveries/${encodeURIComponent(id)}/redeliver`;
    return (await this.call('POST', path, undefined, 2 * DELIVERY_WAIT_MS)) as DeliveryAttempt;
  }

  /** Where notifications go; `undefined` if nowhere. */
  async listener(): Promise<string | undefined> {
    return Object(await this.call('GET', '/sandbox/webhook-url')).webhookUrl;
  }

  async #fetch(method: string, path: string, body: object | undefined, timeoutMs: number): Promise<Response> {
    try {
      return await fetch(this.#url + path, {
        method,
        headers: {
          'x-api-key': this.#credentials.apiKey,
          'x-api-token': this.#credentials.apiToken,
          'content-type': 'application/json',
        },
        // The sandbox never redirects, and a redirect must not carry the credentials to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      // In our own words, because the platform's messages quote URLs and addresses.
      const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
      const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
      const reason = name === 'TimeoutError' ? name : message === 'bad port' ? message : String(code);
      const sandbox = line`The sandbox at ${this.#url}`;
      if (isPlainHttp(reason)) throw failure(`${sandbox} speaks http, not https: write http:// in its URL.`);
      if (reason === 'TimeoutError')
        throw failure(
          `${sandbox} did not answer within ${timeoutMs / 1000} s: the machine may be busy, or something else listens there.`,
        );
      if (reason === 'bad port')
        throw failure(
          line`No sandbox can be at ${this.#url}: \`fetch\` refuses to call that port. Start the sandbox on another one.`,
        );
      if (reason === 'ECONNREFUSED')
        throw failure(
          line`The sandbox is not running at ${this.#url}: start it with \`npx pix-automatic-sdk sandbox\`, or name the one that runs by \`--sandbox <url>\` or PAYMENTS_BASE_URL (no file \`.env\` is read).`,
        );
      const isCut = /^(ECONNRESET|UND_ERR_SOCKET)$/.test(reason);
      const fault = isCut
        ? ' An armed fault may have met the call: `pix-automatic-sdk list` shows those that are left.'
        : '';
      throw failure(line`${sandbox} could not be reached (${code ?? 'fetch failed'}).${fault}`);
    }
  }
}

/** A part of the sandbox's answer. @throws `CliFailure` if it is not there: another program answered */
export function partOf<Part>(answer: unknown, name: string): Part {
  const part: Part | undefined = Object(answer)[name];
  if (part !== undefined) return part;
  throw failure('The answer is not that of a sandbox of this version. Is something else listening there?');
}

/** A client for the sandbox of `--sandbox`, else of PAYMENTS_BASE_URL on this machine, else on the default port. */
export function connectSandbox(options: Options): SandboxClient {
  const text = options.text('sandbox') ?? localBaseUrl() ?? DEFAULT_SANDBOX;
  const { url, isDevelopment } = parseTarget('--sandbox', text, options.has('allow-insecure-http'));
  const { credentials } = credentialsFromEnvironment(isDevelopment);
  if (isDevelopment && !isDefaultPair(credentials)) {
    const warning = line`Warning: PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are sent to ${url}. They are not the sandbox's own pair: unset them if they are real, because any program may listen on that port.`;
    process.stderr.write(`${warning}\n`);
  }
  return new SandboxClient(url, credentials);
}

/** The address that the client of the shop uses, if it is on this machine: a sandbox, and never the service. */
export function localBaseUrl(): string | undefined {
  const text = process.env['PAYMENTS_BASE_URL'] ?? '';
  return isLoopback(httpUrl(text)?.hostname ?? '') ? text : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
