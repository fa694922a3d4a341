import * as z from 'zod/mini';
import { readDay } from '../../pix/pix-calendar';
import { toSchema } from '../../service/schema';
import type { InventedAnswer } from '../inventions';
import { documented, invented, json, parseBody, type ServiceAnswer, type ServiceRequest } from './answers';
import {
  dateTime,
  SandboxError,
  type SandboxScheduledPayment,
  type ServiceState,
  type TransactionRecord,
} from './records';
import { describeRecurrence, digitsOf, endRecurrence, idRecOf, nextDueDate } from './recurrence';

// The calls about recurrences that the service's public pages show, and its document does not.

const BASE = '/v1.1/pix-automatic';
const authorizations = /^\/v1\.1\/pix-automatic\/authorizations\/([^/]+)(\/cancel)?$/;

/** Answers such a call; `undefined` for any other, and for all of them with `recurrenceEvents: 'none'`. */
export function answerPublicCall(
  state: ServiceState,
  { method, path, headers, body }: ServiceRequest,
  isAuthorized: boolean,
): ServiceAnswer | undefined {
  const { inventions } = state;
  const [target = '', query = ''] = path.split('?');
  const [authorization, idRec = '', cancel] = authorizations.exec(target) ?? [];
  const isList = target === `${BASE}/scheduled-payments`;
  if (inventions.recurrenceEvents === 'none' || (authorization === undefined && !isList)) return undefined;
  const expected = cancel === undefined ? 'GET' : 'PUT';
  if (method !== expected) {
    const answer = invented('wrongMethod', inventions.wrongMethod);
    return { ...answer, headers: { ...answer.headers, allow: expected } };
  }
  if (!isAuthorized) return invented('recurrenceCredentials', inventions.recurrenceCredentials);
  if (isList) return listPayments(state, new URLSearchParams(query));
  if (cancel === undefined) return getAuthorization(state, idRec);
  if (!/^application\/json\s*(;|$)/i.test(String(headers['content-type']))) {
    return invented('wrongMediaType', inventions.wrongMediaType);
  }
  return cancelAuthorization(state, idRec, body);
}

function recurrenceOf({ transactions }: ServiceState, idRec: string): TransactionRecord | undefined {
  for (const each of transactions.values()) {
    if (each.chargeOf === undefined && idRecOf(each) === idRec) return each;
  }
  return undefined;
}

function getAuthorization(state: ServiceState, idRec: string): ServiceAnswer {
  const journey = recurrenceOf(state, idRec);
  if (journey === undefined) return invented('unknownRecurrence', state.inventions.unknownRecurrence);
  const { recurrencePlan, payerIspb: ispb } = state.inventions;
  const { id, recurrence: status, planId = recurrencePlan.id, minimumAmount, shopper } = journey;
  const authorization = {
    id,
    idRec,
    status,
    periodicity: journey.periodicity ?? 'MONTHLY',
    minimumAmount,
    ...period(state, journey),
    nextRecurrenceDate: nextDueDate(journey),
    payer: { document: shopper.document?.number, name: shopper.name, ispb },
    contract: { id: planId, description: recurrencePlan.description },
  };
  const paymentSchedules = journey.scheduledPayments.map((payment) => {
    const { id, status, dueDate, amount } = payment;
    return { id, status, dueDate, amount, sale: saleOf(state, payment) };
  });
  return documented({ status: 0, message: 'success', authorization, paymentSchedules });
}

function period(
  state: ServiceState,
  { initialDate, finalDate, scheduledPayments, createdAt }: TransactionRecord,
) {
  return {
    initialDate: initialDate ?? scheduledPayments[0]?.dueDate,
    finalDate: finalDate ?? null,
    creation: dateTime(state, createdAt),
  };
}

function saleOf({ transactions }: ServiceState, { saleUUID = '' }: SandboxScheduledPayment) {
  const sale = transactions.get(saleUUID);
  return sale && { id: sale.id, uuid: sale.uuid, situation: sale.situation };
}

const cancellationSchema = toSchema(z.looseObject({ reason: z.string() }));

function cancelAuthorization(state: ServiceState, idRec: string, body: string): ServiceAnswer {
  const { inventions } = state;
  const journey = recurrenceOf(state, idRec);
  if (journey === undefined) return invented('unknownRecurrence', inventions.unknownRecurrence);
  const parsed = parseBody(cancellationSchema, body);
  if (parsed.problem !== undefined) {
    return refused(inventions.invalidRecurrenceCall, [{ field: 'reason', message: parsed.problem }]);
  }
  try {
    endRecurrence(state, journey.uuid, 'CANCELLED', parsed.value.reason);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const { status } = describeRecurrence(journey);
    return invented('recurrenceEnded', inventions.recurrenceEnded, `it is ${status}`);
  }
  return documented({ status: 0, message: 'success' });
}

interface FieldError {
  readonly field: string;
  readonly message: string;
}

function refused(
  { httpStatus, status, message }: InventedAnswer,
  errors: readonly FieldError[],
): ServiceAnswer {
  const header = { 'x-sandbox-invention': 'invalidRecurrenceCall' };
  return json(httpStatus, { status, message, errors }, header);
}

const STATUSES = ['PENDING_SCHEDULE', 'SCHEDULED', 'PAID', 'FAILED', 'CANCELLED'];
const SORTS = ['dueDate', 'creation', 'amount', 'id'] as const;
const PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

/** What each parameter may be, and how it is told to be wrong. */
const parameters: Readonly<Record<string, readonly [fits: (text: string) => boolean, expected: string]>> = {
  status: [(text) => STATUSES.includes(text), `expected one of ${STATUSES.join(', ')}`],
  initialDueDate: [isDay, 'expected yyyy-MM-dd'],
  finalDueDate: [isDay, 'expected yyyy-MM-dd'],
  page: [(text) => /^\d{1,6}$/.test(text), 'expected a whole number from 0'],
  maxPageResults: [
    (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PAGE_SIZE,
    `expected a whole number from 1 to ${MAX_PAGE_SIZE}`,
  ],
  sortBy: [(text) => (SORTS as readonly string[]).includes(text), `expected one of ${SORTS.join(', ')}`],
  order: [(text) => text === 'ASC' || text === 'DESC', 'expected ASC or DESC'],
};

function isDay(text: string): boolean {
  return readDay(text) !== undefined;
}

function listPayments(state: ServiceState, query: URLSearchParams): ServiceAnswer {
  const errors = Object.entries(parameters).flatMap(([field, [fits, message]]) => {
    const given = query.get(field);
    return given === null || fits(given) ? [] : [{ field, message }];
  });
  if (errors.length > 0) return refused(state.inventions.invalidRecurrenceCall, errors);
  const status = query.get('status');
  const from = query.get('initialDueDate') ?? '';
  const to = query.get('finalDueDate') ?? '9999-12-31';
  const sortBy = (query.get('sortBy') ?? 'dueDate') as (typeof SORTS)[number];
  const sign = query.get('order') === 'DESC' ? -1 : 1;
  const all = [...state.scheduledPayments.values()]
    .filter(({ transactionUUID }) => state.transactions.get(transactionUUID)?.isHidden === false)
    .filter(
      (each) => (status === null || each.status === status) && each.dueDate >= from && each.dueDate <= to,
    )
    .sort((one, other) => sign * (one[sortBy] < other[sortBy] ? -1 : one[sortBy] > other[sortBy] ? 1 : 0));
  const size = Number(query.get('maxPageResults') ?? PAGE_SIZE);
  const start = Number(query.get('page') ?? 0) * size;
  const results = all.slice(start, start + size).map((payment) => describePayment(state, payment));
  return documented({
    status: 0,
    message: 'success',
    totalElements: all.length,
    totalPages: Math.ceil(all.length / size),
    resultSize: results.length,
    results,
  });
}

/** A scheduled payment, with the fields in the order of the public pages. */
function describePayment(state: ServiceState, payment: SandboxScheduledPayment) {
  const { id, instructionId, status, dueDate, amount, tries, creation, transactionUUID, saleUUID } = payment;
  const journey = state.transactions.get(transactionUUID) as TransactionRecord;
  const code = tries.at(-1)?.code;
  return {
    id,
    instructionId,
    status,
    dueDate,
    amount,
    endToEnd: status === 'PAID' && saleUUID !== undefined ? `E${digitsOf(saleUUID, 31)}` : undefined,
    rejectionCode: code,
    rejectionReason: code && state.inventions.rejectionReason,
    creation,
    authorization: { id: journey.id, idRec: idRecOf(journey), ...period(state, journey) },
    sale: saleOf(state, payment),
  };
}
