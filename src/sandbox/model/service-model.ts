import type { OperationName } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { type Inventions, resolveInventions } from '../inventions';
import { invented, type ServiceAnswer, type ServiceRequest } from './answers';
import { type MoveControls, moveControls } from './controls';
import { createCheckout } from './create-checkout';
import { brCode, qrImage } from './qr-code';
import type { SandboxNotification, SandboxScheduledPayment } from './records';
import { matchRoute, type Route } from './routes';
import { findTransaction } from './sale';
import { cancelScheduledPayment, schedulePayments } from './scheduled-payments';
import { type IdSource, randomIds, type ServiceState } from './state';
import { describeJourney, getTransaction, type SandboxTransaction } from './transactions';

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
      notify: options.notify ?? (() => {}),
      transactions: new Map(),
      referenceCodes: new Set(),
      scheduledPayments: new Map(),
      reversals: new Map(),
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

  /** The `count` newest journeys, the newest last. */
  newestTransactions(count: number): SandboxTransaction[] {
    const newest = [...this.#state.transactions.values()].slice(-count);
    return newest.map((transaction) => describeJourney(this.#state, transaction));
  }

  /**
   * Schedules payments of a journey until it has `count`, or its last date is reached. Pays the journey first, if it is
   * not paid yet. Returns all its payments.
   */
  schedulePayments(uuid: string, count: number): readonly SandboxScheduledPayment[] {
    const transaction = findTransaction(this.#state, uuid);
    if (transaction.situation !== 'PAID') this.controls.pay(uuid);
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
