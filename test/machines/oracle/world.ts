import { createHash } from 'node:crypto';

// The service as its document and its public pages describe it: what exists, and what it answers.

/** A transaction, as the service has it. */
export interface Sale {
  readonly uuid: string;
  /** `undefined`: the service does not state one. */
  readonly referenceCode: string | undefined;
  amount: number;
  readonly currency: string;
  situation: 'PENDING' | 'PAID' | 'CANCELLED';
  readonly refunds: { readonly uuid: string; readonly total: number }[];
}

/** What the merchant asked for, and the transaction that came of it. */
export interface Journey {
  readonly referenceCode: string;
  readonly uuid: string;
  readonly request: JourneyRequest;
}

export interface JourneyRequest {
  readonly referenceCode: string;
  readonly currency: string;
  readonly amount?: number | undefined;
  readonly maxAge?: number | undefined;
  readonly recurrence: {
    readonly immediatePayment: boolean;
    readonly amount?: {
      readonly recurrenceAmount?: number;
      readonly valueType?: string;
      readonly debitorMinimumAmount?: number;
    };
  };
}

/** A recurrence that a payer has authorized, or was asked to. */
export interface Authorization {
  readonly idRec: string;
  readonly referenceCode: string;
  status: string;
  readonly schedules: {
    readonly sale: string;
    readonly dueDate: string;
    readonly amount: number;
    status: string;
  }[];
}

/** A uuid that depends on the text alone. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

export class World {
  readonly journeys: Journey[] = [];
  readonly sales = new Map<string, Sale>();
  readonly authorizations = new Map<string, Authorization>();
  /** Whether queries get a 500. */
  isDown = false;
  /** Whether the calls of the public pages are there. */
  hasPublicCalls = true;

  sale(uuid: string, sale: Omit<Sale, 'uuid' | 'refunds'>): Sale {
    const made = { uuid, refunds: [], ...sale };
    this.sales.set(uuid, made);
    return made;
  }

  journeyOf(referenceCode: string): Journey | undefined {
    return this.journeys.find((journey) => journey.referenceCode === referenceCode);
  }

  /** Answers as the service: for the `fetch` of a `PaymentsClient`. */
  readonly fetch = async (
    url: string,
    { method, body }: { readonly method: string; readonly body?: string },
  ) => {
    const { pathname, searchParams } = new URL(url);
    const [status, answer] = this.#answer(method, pathname, searchParams, body);
    return new Response(JSON.stringify(answer), { status, headers: { 'content-type': 'application/json' } });
  };

  #answer(method: string, path: string, query: URLSearchParams, body = '{}'): [number, object] {
    if (method === 'POST' && path === '/v1.1/checkout/pix-automatic')
      return [200, this.#create(JSON.parse(body))];
    if (this.isDown) return [500, {}];
    const uuid = /^\/v1\.1\/transactions\/([^/]+)$/.exec(path)?.[1];
    if (uuid !== undefined) return this.#transaction(uuid.toLowerCase());
    if (!this.hasPublicCalls) return [404, {}];
    if (path === '/v1.1/pix-automatic/scheduled-payments') return [200, this.#schedules(query)];
    const [, idRec, cancel] = /^\/v1\.1\/pix-automatic\/authorizations\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const authorization = this.authorizations.get(idRec ?? '');
    if (authorization === undefined) return [404, { status: 998, message: 'not found' }];
    if (cancel !== undefined) {
      authorization.status = 'CANCELLED';
      return [200, { status: 0, message: 'success' }];
    }
    return [200, { status: 0, message: 'success', ...this.#authorization(authorization) }];
  }

  #create(request: JourneyRequest): object {
    const { referenceCode, currency, amount } = request;
    const uuid = uuidOf(referenceCode);
    this.journeys.push({ referenceCode, uuid, request });
    this.sale(uuid, {
      referenceCode,
      amount: amount ?? request.recurrence.amount?.recurrenceAmount ?? 0,
      currency,
      situation: 'PENDING',
    });
    return {
      status: 0,
      message: 'success',
      response: { uuid, referenceCode, instructions: { qrCode: { plain: `qr-${uuid}` } } },
    };
  }

  #transaction(uuid: string): [number, object] {
    const sale = this.sales.get(uuid);
    if (sale === undefined) return [404, { status: 998, message: 'not found' }];
    const { refunds, ...fields } = sale;
    return [
      200,
      {
        status: 0,
        message: 'success',
        type: 'SALE',
        ...fields,
        refunds: {
          quantity: refunds.length,
          transactions: refunds.map((refund) => ({
            ...refund,
            status: 'PAID',
            creditTransferDetails: { saleUUID: uuid },
          })),
        },
      },
    ];
  }

  #authorization({ idRec, status, schedules }: Authorization): object {
    return {
      authorization: { idRec, status },
      paymentSchedules: schedules.map(({ sale, ...rest }, id) => ({
        id,
        ...rest,
        sale: { uuid: sale, situation: this.sales.get(sale)?.situation },
      })),
    };
  }

  #schedules(query: URLSearchParams): object {
    const [status, from, to] = ['status', 'initialDueDate', 'finalDueDate'].map((name) => query.get(name));
    const all = [...this.authorizations.values()].flatMap(({ idRec, schedules }) =>
      schedules.map(({ sale, ...rest }) => ({
        instructionId: `i-${sale}`,
        ...rest,
        authorization: { idRec },
        sale: { uuid: sale, situation: this.sales.get(sale)?.situation },
      })),
    );
    const found = all.filter(
      (each) =>
        (status === null || each.status === status) &&
        (!from || each.dueDate >= from) &&
        (!to || each.dueDate.slice(0, 10) <= to),
    );
    const size = Number(query.get('maxPageResults') ?? 20);
    const page = Number(query.get('page') ?? 0);
    const results = found.slice(page * size, (page + 1) * size);
    return {
      status: 0,
      message: 'success',
      totalElements: found.length,
      totalPages: Math.ceil(found.length / size),
      resultSize: results.length,
      results,
    };
  }
}
