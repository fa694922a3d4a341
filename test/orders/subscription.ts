import { randomUUID } from 'node:crypto';
import type { UndocumentedRequest } from '../../src/client/request';
import { ApiError } from '../../src/errors';
import type { RecurrenceOfOrder } from '../../src/orders';
import type { RecurrenceEventType, RecurrencePayload } from '../../src/service/notifications/recurrence';
import type { Transaction } from '../../src/service/operations/get-transaction';
import { validate } from '../../src/service/schema';
import { type HookContext, type Hooks, newId, type Place, Shop } from './places';
import { FakeClient } from './support';

/** What the service's public pages say that it has of a recurrence. */
export interface FakeAuthorization {
  status: string;
  readonly sales: string[];
}

/** A scheduled payment, as the service lists it. */
export interface FakeSchedule {
  readonly idRec?: string;
  readonly sale: string;
  readonly amount: number;
  readonly dueDate: string;
}

const call = { operation: 'getTransaction', attempts: 1, outcome: 'refused' } as const;
const notFound = (status?: number) => new ApiError('404', { ...call, httpStatus: 404, body: { status } });

/** A service with the calls of its public pages, which a test may take away. */
export class FakeService extends FakeClient {
  readonly authorizations = new Map<string, FakeAuthorization>();
  readonly schedules: FakeSchedule[] = [];
  readonly requests: string[] = [];
  /** What any of those calls throws. */
  trouble: Error | undefined;
  /** As a service that does not have them. */
  withoutCalls(): void {
    this.trouble = notFound();
  }

  async request<T>({ method, path, query, schema, body }: UndocumentedRequest<T>): Promise<T> {
    const asked = new URLSearchParams(
      Object.entries(query ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    );
    this.requests.push(
      `${method} ${path}${asked.size === 0 ? '' : `?${asked}`}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`,
    );
    if (this.trouble !== undefined) throw this.trouble;
    const read = validate(schema as never, this.#answer(method, path, asked)) as {
      value?: T;
      issues?: unknown;
    };
    if (read.issues !== undefined) throw new TypeError(JSON.stringify(read.issues));
    return read.value as T;
  }

  #answer(method: string, path: string, query: URLSearchParams): unknown {
    if (path.endsWith('/scheduled-payments')) return this.#page(query);
    const [, idRec = ''] = /authorizations\/([^/]+)/.exec(path) ?? [];
    const found = this.authorizations.get(decodeURIComponent(idRec));
    if (found === undefined) throw notFound(998);
    if (method === 'PUT') {
      found.status = 'CANCELLED';
      return { status: 0, message: 'success' };
    }
    const paymentSchedules = found.sales.map((uuid) => ({ status: 'PAID', sale: { uuid } }));
    return {
      status: 0,
      message: 'success',
      authorization: { idRec, status: found.status },
      paymentSchedules,
    };
  }

  #page(query: URLSearchParams): unknown {
    const [from = '', to = ''] = [query.get('initialDueDate') ?? '', query.get('finalDueDate') ?? ''];
    const due = this.schedules.filter(({ dueDate }) => from <= dueDate && dueDate <= to);
    const page = Number(query.get('page'));
    const results = due.slice(20 * page, 20 * page + 20).map(({ idRec, sale, amount, dueDate }) => ({
      status: 'PAID',
      amount,
      dueDate,
      ...(idRec !== undefined && { authorization: { idRec } }),
      sale: { uuid: sale, situation: 'PAID' },
    }));
    return { status: 0, totalPages: Math.ceil(due.length / 20), results };
  }
}

/** 29.90 a month, approved without a payment. */
export const monthly = {
  amount: undefined,
  recurrence: { immediatePayment: false, amount: { recurrenceAmount: 29.9 } },
};

/** What is said of a charge's transaction: its reference, if it has one. */
export type Stated = 'the journey’s' | 'another' | 'none';
export const STATED: readonly Stated[] = ['the journey’s', 'another', 'none'];

interface SubscriptionHooks extends Hooks {
  readonly recurrence?: (given: RecurrenceOfOrder, context: HookContext) => unknown;
}

/** One order of a shop, with a recurrence. */
export class Subscription extends Shop {
  readonly idRec: string;
  readonly service: FakeService;

  constructor(
    place: Place,
    { recurrence, ...hooks }: SubscriptionHooks = {},
    options: ConstructorParameters<typeof Shop>[2] = {},
    service = new FakeService(),
    key = `o-${randomUUID()}`,
  ) {
    const on = {
      recurrence: async (given: RecurrenceOfOrder, context: HookContext) => {
        await recurrence?.(given, context);
        const { event, charge } = given;
        const retry = charge?.willRetry === undefined ? '' : charge.willRetry ? ' and again' : ' for good';
        await place.write(context.transaction, key, `${event}${retry}`);
      },
      ...(options as { on?: object }).on,
    };
    super(place, hooks, { ...options, on } as never, { key, client: service });
    this.service = service;
    this.idRec = `RR${key}`;
  }

  /** Delivers an event of its recurrence. */
  tell(
    name: string,
    { to = this.orders, ...fields }: Partial<RecurrencePayload> & { readonly to?: Shop['orders'] } = {},
  ): Promise<number> {
    const eventType = `RECURRENCE_${name.toUpperCase()}` as RecurrenceEventType;
    const { idRec = this.idRec, externalId = this.key } = fields;
    if (!this.service.authorizations.has(idRec))
      this.service.authorizations.set(idRec, { status: 'APPROVED', sales: [] });
    return this.deliver('recurrence', { saleToken: undefined, ...fields, eventType, idRec, externalId }, to);
  }

  /** A charge is paid: the service has its transaction, and names it among the schedules of its recurrence. */
  charged(
    sale = newId(),
    {
      stated = 'the journey’s',
      idRec = this.idRec,
      ...said
    }: Partial<Transaction> & { stated?: Stated; idRec?: string } = {},
  ): string {
    const referenceCode =
      stated === 'the journey’s' ? this.key : stated === 'another' ? `of-its-own-${sale}` : undefined;
    this.says(sale, { amount: 29.9, ...said, referenceCode });
    const known = this.service.authorizations.get(idRec) ?? { status: 'APPROVED', sales: [] };
    known.sales.push(sale);
    this.service.authorizations.set(idRec, known);
    return sale;
  }

  /** Delivers the event of a charge that is paid. */
  tellPaid(
    sale: string,
    fields: Partial<RecurrencePayload> & { readonly to?: Shop['orders'] } = {},
  ): Promise<number> {
    return this.tell('charge_paid', { saleToken: sale, chargeAmount: 29.9, ...fields });
  }

  /** Delivers the ordinary form of the same, with what the service states of its reference. */
  tellSale(sale: string): Promise<number> {
    const { referenceCode, amount, currency } = this.service.transactions.get(sale) as Transaction;
    return this.deliver('payment', {
      saleToken: sale,
      referenceCode,
      amount,
      currency,
      date: '2027-02-15 10:00:00',
    });
  }

  async recurrences() {
    return (await this.orders.find({ key: this.key })).recurrences;
  }
}
