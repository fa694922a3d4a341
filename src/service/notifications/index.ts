import type * as z from 'zod/mini';
import { chargePaid } from './charge-paid';
import type { NotificationOf } from './notification';
import { payout, payoutObject } from './payout';
import { recurrence, recurrenceObject } from './recurrence';
import { refund, refundObject } from './refund';
import { reversal, reversalObject } from './reversal';
import { payment, saleObject, saleStatus } from './sale';

/**
 * The kinds that the document shows (sections 6.2 to 6.5), in the order in which a body is compared with them: the first
 * match wins; after them those of the service's public pages. To add one, write a file like the others; list it here.
 */
export const documentedKinds = [
  payment,
  saleStatus,
  reversal,
  refund,
  payout,
  /* @__PURE__ */ chargePaid(payment),
  recurrence,
] as const;

/** A notification of a kind that the document, or the service's public pages, show. */
export type DocumentedNotification = NotificationOf<(typeof documentedKinds)[number]>;

/** The names that a handler's `on` accepts without your own definitions. */
export const documentedNames: readonly string[] = [
  ...new Set(documentedKinds.map(({ kind }) => kind)),
  'unrecognized',
];

/** The names of all fields of the documented kinds, on every level. Any other name came from outside. */
export function documentedFields(): ReadonlySet<string> {
  return new Set(
    [saleObject, reversalObject, refundObject, payoutObject, recurrenceObject].flatMap(fieldsOf),
  );
}

function fieldsOf({ _zod }: z.core.$ZodType): string[] {
  const { shape = {}, innerType } = _zod.def as {
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
    readonly innerType?: z.core.$ZodType;
  };
  return [
    ...(innerType === undefined ? [] : fieldsOf(innerType)),
    ...Object.entries(shape).flatMap(([name, field]) => [name, ...fieldsOf(field)]),
  ];
}
