import * as z from 'zod/mini';
import type { CallOptions } from '../client/options';
import { InvalidRequestError } from '../errors/argument-errors';
import { maybe, maybeList, type OpenEnum, openEnum } from '../service/fields';
import { type Schema, toSchema, type Validation, validate } from '../service/schema';
import { isGiven, nameOfType } from '../shared/objects';
import { isSameId } from '../shared/uuid';
import { problemWithParameter } from '../values/option-checks';
import {
  type CallSource,
  checkSource,
  type ScheduledPayment,
  scheduledPaymentObject,
} from './scheduled-payments';

/** Status of a recurrence (the service's public pages; not in its document). */
export type AuthorizationStatus = OpenEnum<
  | 'CREATED'
  | 'APPROVING'
  | 'APPROVED'
  | 'ACTIVE'
  | 'CANCELLING'
  | 'CANCELLED'
  | 'REJECTED'
  | 'EXPIRED'
  | 'CONCLUDED'
>;

/** A recurrence, as the service has it (the service's public pages; not in its document). */
export interface RecurrenceAuthorization {
  /** Its number. */
  id?: number | null | undefined;
  /** Identifies it. */
  idRec?: string | null | undefined;
  /** Its status. */
  status?: AuthorizationStatus | null | undefined;
  /** How often it is charged. */
  periodicity?: string | null | undefined;
  /** The least that a charge may be, in the currency's main unit. */
  minimumAmount?: number | null | undefined;
  /** When it begins. */
  initialDate?: string | null | undefined;
  /** When it ends; `null` where it has no end. */
  finalDate?: string | null | undefined;
  /** When the next charge is due. */
  nextRecurrenceDate?: string | null | undefined;
  /** When it was created. */
  creation?: string | null | undefined;
  /** The payer. Personal data. */
  payer?:
    | {
        /** Their CPF or CNPJ. */
        document?: string | null | undefined;
        /** Their name. */
        name?: string | null | undefined;
        /** Their bank's number. */
        ispb?: string | null | undefined;
      }
    | null
    | undefined;
  /** The plan. */
  contract?:
    | {
        /** Its id. */
        id?: string | null | undefined;
        /** What the payer reads of it. */
        description?: string | null | undefined;
      }
    | null
    | undefined;
}

/** The response of {@link getAuthorization} (the service's public pages; not in its document). */
export interface AuthorizationResponse {
  /** 0 on success; any other value is thrown as `ApiError`. */
  status?: number | null | undefined;
  /** `success` on success. */
  message?: string | null | undefined;
  /** The recurrence. */
  authorization: RecurrenceAuthorization;
  /** Its charges. */
  paymentSchedules?: ScheduledPayment[] | null | undefined;
}

/** The response of {@link cancelAuthorization} (the service's public pages; not in its document). */
export interface AuthorizationCancellation {
  /** 0 on success; any other value is thrown as `ApiError`. */
  status: number;
  /** `success` on success. */
  message?: string | null | undefined;
}

export const authorizationResponseObject = z.looseObject({
  status: maybe(z.number()),
  message: maybe(z.string()),
  authorization: z.looseObject({
    id: maybe(z.number()),
    idRec: maybe(z.string()),
    status: maybe(openEnum<AuthorizationStatus>()),
    periodicity: maybe(z.string()),
    minimumAmount: maybe(z.number()),
    initialDate: maybe(z.string()),
    finalDate: maybe(z.string()),
    nextRecurrenceDate: maybe(z.string()),
    creation: maybe(z.string()),
    payer: maybe(
      z.looseObject({ document: maybe(z.string()), name: maybe(z.string()), ispb: maybe(z.string()) }),
    ),
    contract: maybe(z.looseObject({ id: maybe(z.string()), description: maybe(z.string()) })),
  }),
  paymentSchedules: maybeList(scheduledPaymentObject),
});
const authorizationSchema: Schema<unknown, AuthorizationResponse> = toSchema(authorizationResponseObject);

// A response without `status` does not confirm the cancellation, which is all that it is for.
const cancellationSchema: Schema<unknown, AuthorizationCancellation> = toSchema(
  z.looseObject({ status: z.number(), message: maybe(z.string()) }),
);

/** As for a transaction: an answer about another recurrence is no answer. */
const authorizationOf = (idRec: string): Schema<unknown, AuthorizationResponse> => ({
  '~standard': {
    version: 1,
    vendor: 'pix-automatic-sdk',
    validate(input): Validation<AuthorizationResponse> {
      const read = validate(authorizationSchema, input);
      const answered = read.issues === undefined ? read.value.authorization.idRec : undefined;
      if (!isGiven(answered) || isSameId(answered, idRec)) return read;
      return {
        issues: [{ path: ['authorization', 'idRec'], message: 'expected the recurrence that was asked for' }],
      };
    },
  },
});

/**
 * Asks for a recurrence and its charges (the service's public pages; not in its document). **The response has personal data.**
 *
 * @param client - a `PaymentsClient`
 * @param idRec - of an event of the recurrence, or of a scheduled payment
 * @param options - limits and a signal of this call
 * @throws `ApiError` with `httpStatus` 404 for one that the service does not have; also where it does not have the call, then
 *   without the `status` 998
 * @throws `InvalidResponseError` for a response about another recurrence
 * @throws `InvalidRequestError` for an `idRec` that is empty, `.` or `..`; otherwise what `client.request` throws
 */
export async function getAuthorization(
  client: CallSource,
  idRec: string,
  options: CallOptions = {},
): Promise<AuthorizationResponse> {
  const path = pathOf(client, 'getAuthorization', idRec);
  return client.request({ method: 'GET', path, schema: authorizationOf(idRec) }, options);
}

/**
 * Cancels a recurrence, so that nothing more is charged (the service's public pages; not in its document).
 *
 * @param client - a `PaymentsClient`
 * @param idRec - of an event of the recurrence, or of a scheduled payment
 * @param request - `reason`, a brief text
 * @param options - limits and a signal of this call
 * @throws `ApiError` with `httpStatus` 400 where it cannot be cancelled any more, 404 where there is none
 * @throws `InvalidRequestError` for an `idRec` that is empty, `.` or `..`, or a `reason` that is not a string; otherwise what
 *   `client.request` throws
 */
export async function cancelAuthorization(
  client: CallSource,
  idRec: string,
  request: { readonly reason: string },
  options: CallOptions = {},
): Promise<AuthorizationCancellation> {
  const path = `${pathOf(client, 'cancelAuthorization', idRec)}/cancel`;
  const reason: unknown = request?.reason;
  if (typeof reason !== 'string') {
    throw refused('cancelAuthorization', 'reason', `expected a string, got ${nameOfType(reason)}`);
  }
  return client.request({ method: 'PUT', path, body: { reason }, schema: cancellationSchema }, options);
}

function pathOf(client: CallSource, name: string, idRec: string): string {
  checkSource(client, name);
  const problem = problemWithParameter(idRec);
  if (problem !== undefined) throw refused(name, 'idRec', problem);
  return `/v1.1/pix-automatic/authorizations/${encodeURIComponent(idRec)}`;
}

function refused(name: string, field: string, message: string): InvalidRequestError {
  return new InvalidRequestError(`The call of ${name}`, [{ path: [field], message }]);
}
