import * as z from 'zod/mini';
import type { Credentials } from '../service/credentials';
import { sleep } from '../shared/time';
import { DEFAULT_SANDBOX, type Options } from './command';
import { credentialsFromEnvironment, parseTarget } from './credentials';
import { CliFailure, failure } from './failure';
import { isPortuguese, type Sentence } from './language';

const TIMEOUT_MS = 10_000;
/** How long a command waits for the first attempt of a notification. */
const DELIVERY_WAIT_MS = 5_000;
const POLL_MS = 25;

export const scheduledPayment = z.looseObject({
  instructionId: z.string(),
  dueDate: z.optional(z.string()),
  amount: z.optional(z.number()),
  status: z.optional(z.string()),
});

const transaction = z.looseObject({
  uuid: z.string(),
  referenceCode: z.string(),
  situation: z.string(),
  amount: z.number(),
  createdAt: z.string(),
  isAuthorized: z.optional(z.boolean()),
  scheduledPayments: z.array(scheduledPayment),
  reversals: z.array(z.looseObject({ uuid: z.string(), status: z.string() })),
});

/** How the listener answered one attempt of a delivery. */
export const attempt = z.looseObject({
  httpStatus: z.optional(z.number()),
  error: z.optional(z.string()),
  durationMs: z.number(),
});

const delivery = z.looseObject({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  attempts: z.array(attempt),
});

/** A journey as the sandbox lists it. */
export type ListedTransaction = z.infer<typeof transaction>;
/** A notification with its attempts, as the sandbox lists it. */
export type ListedDelivery = z.infer<typeof delivery>;

const transactionList = z.object({ transactions: z.array(transaction) });
const faultList = z.object({
  faults: z.array(
    z.looseObject({
      operation: z.string(),
      fault: z.looseObject({ kind: z.string() }),
      left: z.nullable(z.number()),
    }),
  ),
});
const callCount = z.object({ calls: z.number() });
const deliveryList = z.object({ deliveries: z.array(delivery) });

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
    return readAnswer(transactionList, await this.call('GET', '/sandbox/transactions')).transactions;
  }

  /** Oldest first. */
  async deliveries(): Promise<ListedDelivery[]> {
    return readAnswer(deliveryList, await this.call('GET', '/sandbox/deliveries')).deliveries;
  }

  /** The faults that still wait for calls. */
  async faults(): Promise<z.infer<typeof faultList>['faults']> {
    return readAnswer(faultList, await this.call('GET', '/sandbox/faults')).faults;
  }

  /** How many calls about this transaction are among the newest 500. */
  async callsAbout(uuid: string): Promise<number> {
    return readAnswer(callCount, await this.call('GET', `/sandbox/page/calls-about/${uuid}`)).calls;
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
    for (;;) {
      const deliveries = (await this.deliveries()).slice(before);
      if (deliveries.every(({ attempts }) => attempts.length > 0) || Date.now() > deadline) {
        return { result, deliveries };
      }
      await sleep(POLL_MS);
    }
  }

  /** Makes any call. @throws `CliFailure` with the sandbox's own message when the sandbox refuses */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const url = this.#url;
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    const answer = parseJson(text);
    if (response.ok) return answer;
    if (response.status === 401) {
      throw failure(
        'The sandbox at {url} expects other credentials: set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN to its pair.',
        { url },
      );
    }
    const message = z.looseObject({ message: z.string() }).safeParse(answer).data?.message;
    if (message !== undefined) throw new CliFailure(1, message);
    throw failure(
      'No sandbox of this version answers at {url} (HTTP {status}). Is something else listening there?',
      { url, status: response.status },
    );
  }

  async #fetch(method: string, path: string, body: object | undefined): Promise<Response> {
    try {
      return await fetch(this.#url + path, {
        method,
        headers: {
          'x-api-key': this.#credentials.apiKey,
          'x-api-token': this.#credentials.apiToken,
          'content-type': 'application/json',
          'accept-language': isPortuguese() ? 'pt' : 'en',
        },
        // The sandbox never redirects, and a redirect must not carry the credentials to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      // In our own words, because the platform's messages quote URLs and addresses.
      const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
      const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
      const known = name === 'TimeoutError' ? name : message === 'bad port' ? message : String(code);
      throw failure(unreachable[known] ?? 'The sandbox at {url} could not be reached ({code}).', {
        url: this.#url,
        code: code ?? 'fetch failed',
        seconds: TIMEOUT_MS / 1000,
      });
    }
  }
}

const unreachable: Readonly<Record<string, Sentence>> = {
  TimeoutError:
    'The sandbox at {url} did not answer within {seconds} s: the machine may be busy, or something else listens there.',
  'bad port':
    'No sandbox can be at {url}: `fetch` refuses to call that port. Start the sandbox on another one.',
  ECONNREFUSED: 'The sandbox is not running at {url}: start it with `npx pix-automatic-sdk sandbox`.',
};

/** Checks the shape of the sandbox's answer. @throws `CliFailure` for any other shape */
export function readAnswer<Answer>(schema: z.ZodMiniType<Answer>, answer: unknown): Answer {
  const { data } = schema.safeParse(answer);
  if (data !== undefined) return data;
  throw failure('The answer is not that of a sandbox of this version. Is something else listening there?');
}

/** A client for the sandbox of `--sandbox`, or for the one on the default port. */
export function connectSandbox(options: Options): SandboxClient {
  const text = options.text('sandbox') ?? DEFAULT_SANDBOX;
  const { url, isDevelopment } = parseTarget('--sandbox', text, options.has('allow-insecure-http'));
  return new SandboxClient(url, credentialsFromEnvironment(isDevelopment).credentials);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
