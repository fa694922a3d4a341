import type { OperationName } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { type Inventions, resolveInventions } from '../inventions';
import { invented, type ServiceAnswer, type ServiceRequest } from './answers';
import { type MoveControls, moveControls } from './controls';
import { createCheckout } from './create-checkout';
import { brCode, qrImage } from './qr-code';
import type { SandboxNotification, SandboxScheduledPayment, TransactionRecord } from './records';
import { matchRoute, type Route } from './routes';
import { findTransaction } from './sale';
import { cancelScheduledPayment, schedulePayments } from './scheduled-payments';
import { type IdSource, randomIds, type ServiceState } from './state';
import { describeJourney, getTransaction, isListed, type SandboxTransaction } from './transactions';

/** The function that answers each operation; `parameter` is the one in its path. */
const answers: Readonly<
  Record<OperationName, (state: ServiceState, parameter: string, body: string) => ServiceAnswer>
> = {
  createRecurringCheckout: (state, _parameter, body) => createCheckout(state, body),
  getTransaction,
  cancelScheduledPayment,
};

export interface ServiceModelOptions {
  /** Every call of an operation must carry them. */
  readonly credentials: Credentials;
  /** Where the service is reached; used only for the `url` of QR codes. */
  readonly baseUrl: string;
  /** Called with each notification, before the move that sends it returns. */
  readonly notify?: ((notification: SandboxNotification) => void) | undefined;
  /** Rows of the table of inventions to change. */
  readonly inventions?: Partial<Inventions> | undefined;
  /** Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Default: random UUIDs. */
  readonly ids?: IdSource | undefined;
}

/**
 * The service without any input or output. The HTTP server and the msw handlers both pass requests to `handle`, so both
 * answer with the same bytes. Everything is kept in memory.
 */
export class ServiceModel {
  readonly inventions: Inventions;
  /** The moves of the payer, the bank and the service. */
  readonly controls: MoveControls;
  readonly #state: ServiceState;

  constructor(options: ServiceModelOptions) {
    this.inventions = resolveInventions(options.inventions);
    this.#state = {
      credentials: options.credentials,
      baseUrl: options.baseUrl,
      inventions: this.inventions,
      now: options.now ?? Date.now,
      ids: options.ids ?? randomIds(),
      notify: (notification) => {
        const { transactionUUID = '' } = notification;
        if (this.#state.transactions.get(transactionUUID)?.isHidden !== true) options.notify?.(notification);
      },
      transactions: new Map(),
      referenceCodes: new Set(),
      scheduledPayments: new Map(),
      reversals: new Map(),
      revision: 0,
    };
    this.controls = moveControls(this.#state);
  }

  handle(request: ServiceRequest): ServiceAnswer {
    const route = matchRoute(request.method, request.path);
    switch (route.kind) {
      case 'unknown':
        return invented('unknownPath', this.inventions.unknownPath);
      case 'wrong-method': {
        const answer = invented('wrongMethod', this.inventions.wrongMethod);
        return { ...answer, headers: { ...answer.headers, allow: route.allow } };
      }
      case 'qr-image':
        return this.#qrImage(route.uuid);
      case 'operation':
        return this.#operate(route, request);
    }
  }

  /** Whether a request carries the credentials. */
  isAuthorized({ headers }: Pick<ServiceRequest, 'headers'>): boolean {
    const { apiKey, apiToken } = this.#state.credentials;
    return headers['x-api-key'] === apiKey && headers['x-api-token'] === apiToken;
  }

  /** The operation that a request asks for, if any. */
  operationOf({ method, path }: Pick<ServiceRequest, 'method' | 'path'>): OperationName | undefined {
    const route = matchRoute(method, path);
    return route.kind === 'operation' ? route.operation : undefined;
  }

  /** Grows with everything that happens. */
  get revision(): number {
    return this.#state.revision;
  }

  /** The journeys of the lists, the newest first, for as long as the caller reads. */
  *listedJourneys(): Iterable<TransactionRecord> {
    const records = [...this.#state.transactions.values()];
    for (let index = records.length - 1; index >= 0; index--) {
      const record = records[index];
      if (record !== undefined && isListed(record)) yield record;
    }
  }

  /** A journey of the lists, with what happened to it. */
  journey(uuid: string): { record: TransactionRecord; described: SandboxTransaction } | undefined {
    const record = this.#state.transactions.get(uuid);
    if (record === undefined || !isListed(record)) return undefined;
    return { record, described: describeJourney(this.#state, record) };
  }

  /** The journey that a call is about, by the UUID or the instruction id in its path or its answer. */
  journeyOf(id: string): string | undefined {
    const { transactions, scheduledPayments } = this.#state;
    return transactions.has(id) ? id : scheduledPayments.get(id)?.transactionUUID;
  }

  /**
   * Schedules payments of a journey until it has `count`, or its last date is reached. Pays or authorizes the journey
   * first, if its payer has not yet. Returns all its payments.
   */
  schedulePayments(uuid: string, count: number): readonly SandboxScheduledPayment[] {
    const transaction = findTransaction(this.#state, uuid);
    if (transaction.situation !== 'PAID' && !transaction.isAuthorized) this.controls.pay(uuid);
    schedulePayments(this.#state, transaction, count);
    return transaction.scheduledPayments;
  }

  #operate(route: Route & { kind: 'operation' }, request: ServiceRequest): ServiceAnswer {
    if (!this.isAuthorized(request)) return invented('wrongCredentials', this.inventions.wrongCredentials);
    if (request.method !== 'GET' && !isJson(request.headers['content-type'])) {
      return invented('wrongMediaType', this.inventions.wrongMediaType);
    }
    return answers[route.operation](this.#state, route.parameter, request.body);
  }

  #qrImage(uuid: string): ServiceAnswer {
    const transaction = this.#state.transactions.get(uuid);
    if (transaction === undefined) return invented('unknownPath', this.inventions.unknownPath);
    const body = qrImage(brCode(transaction, this.inventions.qrCodeMerchant));
    return { status: 200, headers: { 'content-type': 'image/png' }, body };
  }
}

function isJson(contentType: string | readonly string[] | undefined): boolean {
  return typeof contentType === 'string' && /^application\/json\s*(;|$)/i.test(contentType);
}
