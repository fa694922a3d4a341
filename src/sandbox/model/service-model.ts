import type { OperationName } from '../../errors';
import { operations } from '../../service/operations';
import type { Inventions } from '../inventions';
import { invented, type ServiceAnswer, type ServiceRequest } from './answers';
import { describeJourney, isListed, type MoveControls, moveControls, type SandboxTransaction } from './moves';
import { sandboxOperations } from './operations';
import { answerPublicCall } from './public-calls';
import { brCode, qrImage } from './qr-code';
import type { ServiceState, TransactionRecord } from './records';

/** What the model is made with. */
export type ServiceModelOptions = Pick<
  ServiceState,
  'credentials' | 'baseUrl' | 'inventions' | 'now' | 'ids' | 'notify'
>;

/**
 * The service without any input or output. The HTTP server and the msw handlers both pass requests to `handle`, so both
 * answer with the same bytes. Everything is kept in memory.
 */
export class ServiceModel {
  readonly inventions: Inventions;
  /** The moves of the payer, the bank and the service. */
  readonly controls: MoveControls;
  readonly state: ServiceState;

  constructor(options: ServiceModelOptions) {
    const transactions = new Map<string, TransactionRecord>();
    this.inventions = options.inventions;
    this.state = {
      ...options,
      notify(notification) {
        const about = transactions.get(notification.transactionUUID ?? '');
        if (about?.isHidden !== true) options.notify(notification);
      },
      transactions,
      referenceCodes: new Set(),
      scheduledPayments: new Map(),
      reversals: new Map(),
      revision: 0,
    };
    this.controls = moveControls(this.state);
  }

  handle(request: ServiceRequest): ServiceAnswer {
    const { method, path, headers, body } = request;
    const image = parameterIn(path, qrImages);
    if (image !== undefined && method === 'GET') return this.#qrImage(image);
    const route = matchOperation(path);
    if (route === undefined) {
      const answer = answerPublicCall(this.state, request, this.isAuthorized(request));
      return answer ?? invented('unknownPath', this.inventions.unknownPath);
    }
    if (method !== route.method) {
      const answer = invented('wrongMethod', this.inventions.wrongMethod);
      return { ...answer, headers: { ...answer.headers, allow: route.method } };
    }
    if (!this.isAuthorized(request)) return invented('wrongCredentials', this.inventions.wrongCredentials);
    if (method !== 'GET' && !/^application\/json\s*(;|$)/i.test(String(headers['content-type']))) {
      return invented('wrongMediaType', this.inventions.wrongMediaType);
    }
    return sandboxOperations[route.operation].answer(this.state, route.parameter, body);
  }

  /** Whether a request carries the credentials. */
  isAuthorized({ headers }: Pick<ServiceRequest, 'headers'>): boolean {
    const { apiKey, apiToken } = this.state.credentials;
    return headers['x-api-key'] === apiKey && headers['x-api-token'] === apiToken;
  }

  /** The operation that a request asks for, if any. */
  operationOf({ method, path }: Pick<ServiceRequest, 'method' | 'path'>): OperationName | undefined {
    const route = matchOperation(path);
    return route?.method === method ? route.operation : undefined;
  }

  /** The transaction that the path of an operation names, by its UUID or by the instruction id of a payment of it. */
  journeyIn(path: string): string | undefined {
    return this.journeyOf(matchOperation(path)?.parameter ?? '');
  }

  /** The journeys of the lists, the newest first, for as long as the caller reads. */
  *listedJourneys(): Iterable<TransactionRecord> {
    const records = [...this.state.transactions.values()];
    for (let index = records.length - 1; index >= 0; index--) {
      const record = records[index];
      if (record !== undefined && isListed(record)) yield record;
    }
  }

  /** A journey of the lists, with what happened to it. */
  journey(uuid: string): { record: TransactionRecord; described: SandboxTransaction } | undefined {
    const record = this.state.transactions.get(uuid);
    if (record === undefined || !isListed(record)) return undefined;
    return { record, described: describeJourney(this.state, record) };
  }

  /** The journey that a call is about, by the UUID or the instruction id in its path or its answer. */
  journeyOf(id: string): string | undefined {
    const { transactions, scheduledPayments } = this.state;
    return transactions.has(id) ? id : scheduledPayments.get(id)?.transactionUUID;
  }

  #qrImage(uuid: string): ServiceAnswer {
    const transaction = this.state.transactions.get(uuid);
    if (transaction === undefined) return invented('unknownPath', this.inventions.unknownPath);
    const body = qrImage(brCode(transaction, this.inventions.qrCodeMerchant));
    return { status: 200, headers: { 'content-type': 'image/png' }, body };
  }
}

/** A path of the sandbox's own; the document only says that the image has a URL. */
const qrImages = /^\/sandbox\/qr-codes\/([^/]+)\.png$/;

/** The document's operations (section 4). */
const routes = Object.values(operations).map(({ name, method, urlTemplate }) => ({
  operation: name,
  method,
  path: new RegExp(`^${urlTemplate.replaceAll('.', '\\.').replace(/\{\w+\}/, '([^/]+)')}$`),
}));

function matchOperation(target: string) {
  for (const { operation, method, path } of routes) {
    const parameter = parameterIn(target, path);
    if (parameter !== undefined) return { operation, method, parameter };
  }
  return undefined;
}

/** The parameter in a path, decoded, or an empty one if it has none. `undefined` if the path is another one. */
function parameterIn(target: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(target.split('?')[0] ?? '');
  try {
    return match === null ? undefined : decodeURIComponent(match[1] ?? '');
  } catch {
    // A lone `%`, which is in no id of the sandbox.
    return undefined;
  }
}
