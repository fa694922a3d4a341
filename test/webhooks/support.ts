import { inspect } from 'node:util';
import type { Store } from 'pix-automatic-sdk/stores';
import { fixtures } from 'pix-automatic-sdk/testing';
import {
  createWebhookHandler,
  MemoryStore,
  type WebhookHandler,
  type WebhookHandlerOptions,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import type { NewDeadLetter } from '../../src/stores/dead-letters';
import {
  type Claim,
  type ClaimLimits,
  type ClaimResult,
  type CompleteLimits,
  type SingleRecords,
  STEPS,
  type StoreSteps,
  stepsOf,
  type Transact,
} from '../../src/stores/steps';
import { authorization, credentials } from '../helpers/deliver';

export { authorization, credentials };

/** The header for a pair, made by Node’s own Base64 and not by ours (document section 5). */
export function basic({ apiKey, apiToken }: { readonly apiKey: string; readonly apiToken: string }): string {
  return `Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`;
}

// The fixtures, with short identifiers, because tests spell out keys such as `payment:s-1:PAID`.

export const salePayload = () => fixtures.payment({ saleToken: 's-1', referenceCode: 'order-1' });

export const reversalPayload = () =>
  fixtures.reversal({ uuid: 'v-1', status: 'PENDING', sale: { uuid: 's-1' } });

/** Its two amounts differ, so that a test can tell them apart. */
export const refundPayload = () =>
  fixtures.refund({ saleToken: 's-1', refund: { uuid: 'r-1' }, amountRefunded: 10.5 });

export const payoutPayload = () => fixtures.payout({ uuid: 'p-1' });

export const failedPayoutPayload = () => fixtures.failedPayout({ uuid: 'p-1' });

/** The query that the service sends with each kind (document sections 6.2 to 6.5). */
export const queries = {
  sale: '',
  reversal: '?reversing=true&type=reversing',
  refund: '?refund=true&type=refund',
  payout: '?payout=true&type=payout',
} as const;

/** A handler, with what its callbacks and `onReport` were told. */
export interface Listener {
  readonly handler: WebhookHandler;
  readonly acted: readonly string[];
  readonly reports: readonly WebhookReport[];
}

/** Acts on every documented kind by noting the key, unless the options say otherwise. */
export function createListener(options: Partial<WebhookHandlerOptions> = {}): Listener {
  const acted: string[] = [];
  const reports: WebhookReport[] = [];
  const note = ({ key }: { readonly key: string }) => void acted.push(key);
  const on = { payment: note, saleStatus: note, reversal: note, refund: note, payout: note };
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on,
    onReport: (report) => reports.push(report),
    ...options,
  });
  return { handler, acted, reports };
}

/** A delivery like the service’s. */
export function notificationRequest(body: unknown, init: { query?: string; headers?: object } = {}): Request {
  return new Request(`https://merchant.example/webhooks${init.query ?? ''}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function statusOf(answer: Promise<Response>): Promise<number> {
  return (await answer).status;
}

/** Everything that a logger, debugger or error tracker could print of a value. */
export function everythingPrintedOf(value: unknown): string {
  const error = value as { message?: unknown; stack?: unknown };
  return [
    inspect(value, { depth: 9, showHidden: true }),
    JSON.stringify(value),
    String(value),
    String(error.message),
    String(error.stack),
  ].join('\n');
}

/** A memory store that notes its operations, and can be made to fail. */
export class WatchedStore implements Store<undefined> {
  readonly steps: string[] = [];
  readonly leases: number[] = [];
  readonly retentions: number[] = [];
  readonly claims: Claim[] = [];
  /** Each replaces the next operation of its name; calling its argument does that operation after all. */
  readonly faults: {
    [Step in 'claim' | 'complete' | 'release']: ((go: () => Promise<unknown>) => unknown)[];
  } = { claim: [], complete: [], release: [] };
  /** Its dead letters: the steps on them, and faults that stay. */
  readonly letters = {
    steps: [] as ('keep' | 'forget')[],
    faults: {} as { [Step in 'keep' | 'forget']?: (() => Promise<unknown>) | undefined },
    /** Puts an entry there, past the handler. */
    put: (entry: NewDeadLetter) => this.#store.keepLetter(entry, 1_000_000),
    list: () => this.#store.listLetters({ limit: 100 }),
    keys: async (): Promise<readonly string[]> => (await this.letters.list()).map(({ key }) => key),
  };
  readonly #store: StoreSteps<undefined>;
  declare transact?: Transact<undefined>;

  constructor(store = new MemoryStore()) {
    this.#store = stepsOf(store);
  }

  get [STEPS](): StoreSteps<undefined> {
    return {
      ...this.#store,
      claim: (...given) => this.claim(...given),
      complete: (...given) => this.complete(...given),
      release: (...given) => this.release(...given),
      transact: this.transact,
      keepLetter: (...given) => this.#onLetters('keep', () => this.#store.keepLetter(...given)),
      forgetLetter: (...given) => this.#onLetters('forget', () => this.#store.forgetLetter(...given)),
    };
  }

  async createTable(): Promise<void> {}

  createTableSql(): string {
    return '';
  }

  async deleteExpired(): Promise<number> {
    return 0;
  }

  claim(subject: string, state: string, limits: ClaimLimits): Promise<ClaimResult> {
    this.leases.push(limits.leaseMs);
    return this.#step('claim', async () => {
      const result = await this.#store.claim(subject, state, limits);
      if (result.status === 'claimed') this.claims.push(result);
      return result;
    });
  }

  complete(claim: Claim, limits: CompleteLimits): Promise<boolean> {
    this.retentions.push(limits.retentionMs);
    return this.#step('complete', () => this.#store.complete(claim, limits));
  }

  release(claim: Claim): Promise<void> {
    return this.#step('release', () => this.#store.release(claim));
  }

  async #onLetters(step: 'keep' | 'forget', go: () => Promise<void>): Promise<void> {
    this.letters.steps.push(step);
    await this.letters.faults[step]?.();
    return go();
  }

  #step<T>(name: keyof WatchedStore['faults'], go: () => Promise<T>): Promise<T> {
    this.steps.push(name);
    const fault = this.faults[name].shift();
    return fault === undefined ? go() : (fault(go) as Promise<T>);
  }
}

/** The records of orders in a transaction that has none. */
export const noOrders: SingleRecords = {
  readRecord: async () => ({ value: undefined, version: 0, now: 0 }),
  writeRecord: async () => false,
};

/** Does the operation and loses its reply. */
export const loseReply = async (go: () => Promise<unknown>) => {
  await go();
  throw new Error('injected: reply lost');
};

export const fail = async () => {
  throw new Error('injected: store failed, CPF 52998224725');
};

export const hang = () => new Promise<never>(() => undefined);

/** What is thrown, so that its class and its text can both be looked at. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return 'nothing was thrown';
}

/** A function that throws. */
export const throwing = (error: unknown) => (): never => {
  throw error;
};

/** Delivers a notification, and gives the status of the answer. */
export async function send(
  handler: (request: Request) => Promise<Response>,
  body: unknown = salePayload(),
  init: Parameters<typeof notificationRequest>[1] = {},
): Promise<number> {
  return (await handler(notificationRequest(body, init))).status;
}

/** A callback, or another function, that waits until it is let go. */
export function gate() {
  let open = () => {};
  const closed = new Promise<void>((resolve) => (open = resolve));
  return { wait: (..._: unknown[]) => closed, open: () => open() };
}
