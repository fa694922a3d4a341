import * as z from 'zod/mini';
import type { CallOptions } from '../client/options';
import type { UndocumentedRequest } from '../client/request';
import { InvalidRequestError } from '../errors/argument-errors';
import { ConfigurationError } from '../errors/configuration-error';
import { MAX_LIST_LENGTH } from '../service/checks';
import { maybe, type OpenEnum, openEnum } from '../service/fields';
import { type Schema, toSchema } from '../service/schema';
import { isCalendarDate } from '../shared/time';
import { type OptionNames, readNamedOptions } from '../values/option-checks';

/** The part of a client that makes these calls: a `PaymentsClient`, or your test double. */
export interface CallSource {
  /** As `PaymentsClient.request`. */
  request<T>(request: UndocumentedRequest<T>, options?: CallOptions): Promise<T>;
}

/** Status of a scheduled payment (the service's public pages; not in its document). */
export type ScheduledPaymentStatus = OpenEnum<
  'PENDING_SCHEDULE' | 'SCHEDULED' | 'PAID' | 'FAILED' | 'CANCELLED'
>;

/** The sale of a scheduled payment (the service's public pages; not in its document). */
export interface ScheduledSale {
  /** Its number. */
  id?: number | null | undefined;
  /** The uuid of its transaction, for `getTransaction`. */
  uuid?: string | null | undefined;
  /** Situation of its transaction. */
  situation?: OpenEnum<'PENDING' | 'CANCELLED' | 'PAID'> | null | undefined;
}

/** A charge of a recurrence, as the service lists it (the service's public pages; not in its document). */
export interface ScheduledPayment {
  /** Its number. */
  id?: number | null | undefined;
  /** Its id for `cancelScheduledPayment`. */
  instructionId?: string | null | undefined;
  /** Its status. */
  status?: ScheduledPaymentStatus | null | undefined;
  /** When it is due. */
  dueDate?: string | null | undefined;
  /** Its amount, in the currency's main unit. */
  amount?: number | null | undefined;
  /** The end-to-end id of the Pix. */
  endToEnd?: string | null | undefined;
  /** Why it failed: a code of the central bank, such as `AM04`, for `explainPixCode`. */
  rejectionCode?: string | null | undefined;
  /** Why it failed, as a text of a bank's. */
  rejectionReason?: string | null | undefined;
  /** When it was created. */
  creation?: string | null | undefined;
  /** Its recurrence. */
  authorization?:
    | {
        /** Its number. */
        id?: number | null | undefined;
        /** Its id at the central bank. */
        idRec?: string | null | undefined;
      }
    | null
    | undefined;
  /** Its sale. */
  sale?: ScheduledSale | null | undefined;
}

export const scheduledPaymentObject = z.looseObject({
  id: maybe(z.number()),
  instructionId: maybe(z.string()),
  status: maybe(openEnum<'PENDING_SCHEDULE' | 'SCHEDULED' | 'PAID' | 'FAILED' | 'CANCELLED'>()),
  dueDate: maybe(z.string()),
  amount: maybe(z.number()),
  endToEnd: maybe(z.string()),
  rejectionCode: maybe(z.string()),
  rejectionReason: maybe(z.string()),
  creation: maybe(z.string()),
  authorization: maybe(z.looseObject({ id: maybe(z.number()), idRec: maybe(z.string()) })),
  sale: maybe(
    z.looseObject({
      id: maybe(z.number()),
      uuid: maybe(z.string()),
      situation: maybe(openEnum<'PENDING' | 'CANCELLED' | 'PAID'>()),
    }),
  ),
});

interface Page {
  totalPages?: number | null | undefined;
  results: ScheduledPayment[];
}

// A page without its list is no page: taken for an empty one, it would end the list in silence.
const pageSchema: Schema<unknown, Page> = toSchema(
  z.looseObject({
    totalPages: maybe(z.number()),
    results: z.array(scheduledPaymentObject).check(z.maxLength(MAX_LIST_LENGTH)),
  }),
);

/** Which scheduled payments to list. Days are `yyyy-MM-dd`, in São Paulo. */
export interface ScheduledPaymentsQuery {
  /** Only those in this status. Default: all. */
  readonly status?: ScheduledPaymentStatus | undefined;
  /** The first day on which they are due. */
  readonly from?: string | undefined;
  /** The last day on which they are due. */
  readonly to?: string | undefined;
}

const QUERY_NAMES: OptionNames<ScheduledPaymentsQuery> = { status: true, from: true, to: true };

/**
 * Lists scheduled payments, one query a page (the service's public pages; not in its document).
 *
 * @example
 * ```ts
 * for await (const { dueDate, amount, sale } of listScheduledPayments(client, { status: 'FAILED', from: '2027-01-01' })) {
 *   console.log(dueDate, amount, sale?.uuid);
 * }
 * ```
 *
 * @throws `ConfigurationError` for a client without `request`, or a query that cannot work
 * @throws what `client.request` throws
 */
export async function* listScheduledPayments(
  client: CallSource,
  query: ScheduledPaymentsQuery = {},
  options: CallOptions = {},
): AsyncGenerator<ScheduledPayment, void, undefined> {
  checkSource(client, 'listScheduledPayments');
  const { status, from, to } = readNamedOptions('listScheduledPayments', query, QUERY_NAMES);
  checkDay('from', from);
  checkDay('to', to);
  const filter = { status, initialDueDate: from, finalDueDate: to };
  let before = '';
  for (let page = 0; ; page += 1) {
    const { results, totalPages } = await client.request(
      {
        method: 'GET',
        path: '/v1.1/pix-automatic/scheduled-payments',
        query: { ...filter, page },
        schema: pageSchema,
      },
      options,
    );
    const text = JSON.stringify(results);
    // A service that does not know `page` would give the same one for ever.
    if (results.length === 0 || text === before) return;
    before = text;
    yield* results;
    if (typeof totalPages === 'number' && page + 1 >= totalPages) return;
  }
}

/** @throws `ConfigurationError` for a client that makes no such calls */
export function checkSource(client: CallSource, name: string): void {
  if (typeof client?.request === 'function') return;
  throw new ConfigurationError(
    `Expected \`${name}(client, …)\`, with a \`PaymentsClient\` as the first argument.`,
  );
}

function checkDay(name: string, day: string | undefined): void {
  if (day === undefined || isCalendarDate(day)) return;
  throw new InvalidRequestError('The call of listScheduledPayments', [
    { path: [name], message: 'expected a real date, yyyy-MM-dd' },
  ]);
}
