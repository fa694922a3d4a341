import type { OperationName } from '../errors';
import type { Delivery, DeliveryAttempt } from './delivery/delivery';
import type { Fault } from './faults';

/** A line of the sandbox's log. */
export type SandboxLogEntry =
  | {
      /** A call of an operation, a control call that does something, or a refused request. What the page reads is none. */
      readonly type: 'request';
      /** The HTTP method. */
      readonly method: string;
      /** Without its query. */
      readonly path: string;
      /** `undefined` for a control call, or a path that is not in the document. */
      readonly operation: OperationName | undefined;
      /** `undefined` when a fault, or the caller, ended the connection. */
      readonly status: number | undefined;
      /** The fault that it met, if any. */
      readonly fault: Fault['kind'] | undefined;
      /** From the request to the end of the answer, in milliseconds. */
      readonly durationMs: number;
      /** Transaction UUID in the answer of an operation, or in the path of a control call, if it has one. */
      readonly uuid?: string | undefined;
      /** Your order identifier, if known. */
      readonly referenceCode?: string | undefined;
      /** The fields of its body that the document does not have, such as `shopper.docment`. Missing where there is none. */
      readonly unknownFields?: readonly string[] | undefined;
      /** The fields whose value the document does not show, such as a `periodicity`. Missing where there is none. */
      readonly unknownValues?: readonly string[] | undefined;
      /** The fields whose value the service may refuse, such as a date in the past. Missing where there is none. */
      readonly doubtfulValues?: readonly string[] | undefined;
    }
  | {
      /** An attempt to deliver a notification. */
      readonly type: 'delivery';
      /** Without the payload, which holds personal data; `deliveries` has it. */
      readonly delivery: Omit<Delivery, 'payload'>;
      /** How the attempt ended. */
      readonly attempt: DeliveryAttempt;
      /** Of an event of a recurrence, which: `RECURRENCE_AUTHORIZED`. */
      readonly eventType?: string | undefined;
      /** UUID of the transaction or payout that the notification is about. */
      readonly uuid?: string | undefined;
      /** Your order identifier, if the notification has it. */
      readonly referenceCode?: string | undefined;
    };

/** Keeps the sandbox running when the caller's log throws. */
export function withoutThrowing(
  log: ((entry: SandboxLogEntry) => void) | undefined,
): (entry: SandboxLogEntry) => void {
  return (entry) => {
    try {
      log?.(entry);
    } catch {
      // Only a line of the caller's own log is lost.
    }
  };
}

/** The journey that a line of the log is about, as far as known. */
export interface JourneyIdentity {
  /** Transaction UUID. */
  readonly uuid?: string | undefined;
  /** Your order identifier. */
  readonly referenceCode?: string | undefined;
}

/** The transaction that a notification is about: `saleToken`, or a reversal's `sale`; for a payout, its own UUID. */
export function journeyOfPayload(payload: object, redact: (text: string) => string): JourneyIdentity {
  const { saleToken, sale, uuid, referenceCode, externalId } = payload as Readonly<Record<string, unknown>>;
  const saleUUID = typeof sale === 'object' && sale !== null && 'uuid' in sale ? sale.uuid : undefined;
  return identity(saleToken ?? saleUUID ?? uuid, referenceCode ?? externalId, redact);
}

/** Which event of a recurrence it is. */
export function eventTypeOf(payload: object, redact: (text: string) => string): string | undefined {
  const { eventType } = payload as { readonly eventType?: unknown };
  return typeof eventType === 'string' ? redact(eventType) : undefined;
}

/** The transaction that a JSON answer is about: the checkout has it in `response`, the query at the top. */
export function journeyOfAnswer(
  body: string | Uint8Array,
  redact: (text: string) => string,
): JourneyIdentity {
  try {
    const parsed = JSON.parse(String(body));
    const { uuid, referenceCode } = parsed?.response ?? parsed ?? {};
    return identity(uuid, referenceCode, redact);
  } catch {
    return {};
  }
}

/** The credentials are blanked: a merchant may have put them into an order identifier by mistake. */
function identity(uuid: unknown, referenceCode: unknown, redact: (text: string) => string): JourneyIdentity {
  return {
    ...(typeof uuid === 'string' ? { uuid: redact(uuid) } : {}),
    ...(typeof referenceCode === 'string' ? { referenceCode: redact(referenceCode) } : {}),
  };
}
