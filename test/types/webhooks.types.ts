// Checked only by `tsc`: what the webhooks entry lets a merchant write, and what it does not.
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Store } from 'pix-automatic-sdk/stores';
import {
  createWebhookHandler,
  defineNotification,
  type FailedPayout,
  MemoryStore,
  type Notification,
  type PayoutPayload,
  parseNotification,
  payoutFailure,
  type payoutPayloadSchema,
  type RecurrencePayload,
  type RefundPayload,
  type ReversalPayload,
  type recurrencePayloadSchema,
  type refundPayloadSchema,
  type reversalPayloadSchema,
  type SalePayload,
  type SuccessfulPayout,
  salePayloadSchema,
  type WebhookCallbacks,
  type WebhookContext,
} from 'pix-automatic-sdk/webhooks';
import type * as z from 'zod/mini';
import * as zod from 'zod/mini';
import type { payoutObject } from '../../src/service/notifications/payout';
import type { recurrenceObject } from '../../src/service/notifications/recurrence';
import type { refundObject } from '../../src/service/notifications/refund';
import type { reversalObject } from '../../src/service/notifications/reversal';
import type { saleObject } from '../../src/service/notifications/sale';
import { type Equal, type HasIndex, isTrue, type Known, type SameFields } from './equal';

// Each payload type is what its schema infers.
isTrue<
  SameFields<
    // `recurrence` is what this library makes of an event, and in no sale's body.
    Omit<Known<SalePayload>, 'recurrence'>,
    Known<z.output<typeof saleObject>>,
    'src/service/notifications/sale.ts'
  >
>();
isTrue<
  SameFields<
    Known<ReversalPayload>,
    Known<z.output<typeof reversalObject>>,
    'src/service/notifications/reversal.ts'
  >
>();
isTrue<
  SameFields<
    Known<RefundPayload>,
    Known<z.output<typeof refundObject>>,
    'src/service/notifications/refund.ts'
  >
>();
isTrue<
  SameFields<
    // One object for both: a payout that was made has the same fields without the code.
    Known<Omit<FailedPayout, 'success'> & { success: boolean }>,
    Known<z.output<typeof payoutObject>>,
    'src/service/notifications/payout.ts'
  >
>();
isTrue<
  SameFields<
    Known<RecurrencePayload>,
    Known<z.output<typeof recurrenceObject>>,
    'src/service/notifications/recurrence.ts'
  >
>();
isTrue<Equal<SalePayload['recurrence'], RecurrencePayload | undefined>>();
isTrue<Equal<Exclude<keyof FailedPayout, keyof SuccessfulPayout>, 'error_code'>>();
isTrue<Equal<HasIndex<RecurrencePayload | SalePayload | ReversalPayload | RefundPayload>, false>>();
isTrue<Equal<HasIndex<SuccessfulPayout> | HasIndex<FailedPayout>, false>>();

// The schemas are Standard Schemas of these types.
isTrue<Equal<StandardSchemaV1.InferOutput<typeof salePayloadSchema>, SalePayload>>();
isTrue<Equal<StandardSchemaV1.InferOutput<typeof reversalPayloadSchema>, ReversalPayload>>();
isTrue<Equal<StandardSchemaV1.InferOutput<typeof refundPayloadSchema>, RefundPayload>>();
isTrue<Equal<StandardSchemaV1.InferOutput<typeof payoutPayloadSchema>, PayoutPayload>>();
isTrue<Equal<StandardSchemaV1.InferOutput<typeof recurrencePayloadSchema>, RecurrencePayload>>();
isTrue<Equal<StandardSchemaV1.InferInput<typeof salePayloadSchema>, SalePayload>>();
void (salePayloadSchema satisfies StandardSchemaV1<SalePayload>);

const credentials = { apiKey: 'k', apiToken: 't' };

export function payloadsOfKinds(notification: Notification): void {
  switch (notification.kind) {
    case 'payment':
    case 'saleStatus':
      isTrue<Equal<typeof notification.payload, SalePayload>>();
      // @ts-expect-error: a misspelt field
      notification.payload.saleTokn;
      // @ts-expect-error: a field of another kind
      notification.payload.refund;
      break;
    case 'reversal':
      isTrue<Equal<typeof notification.payload, ReversalPayload>>();
      break;
    case 'refund':
      isTrue<Equal<typeof notification.payload, RefundPayload>>();
      notification.payload.refund.uuid.length;
      // @ts-expect-error: everything but identity and state may be null
      notification.payload.referenceCode.length;
      break;
    case 'payout':
      payoutsNarrow(notification.payload);
      break;
    case 'recurrence':
      isTrue<Equal<typeof notification.payload, RecurrencePayload>>();
      // @ts-expect-error: an event that the service's public pages do not show
      notification.payload.eventType === 'RECURRENCE_PAUSED';
      break;
    case 'unrecognized':
      // @ts-expect-error: nothing is known of its body but `raw`
      notification.payload;
      notification.raw['anything'];
      break;
    default:
      isTrue<Equal<typeof notification, never>>();
  }
}

function payoutsNarrow(payload: PayoutPayload): void {
  // @ts-expect-error: a payout that succeeded has no error_code
  payload.error_code;
  if (payload.success) {
    isTrue<Equal<typeof payload, SuccessfulPayout>>();
    // @ts-expect-error: it has not failed
    payoutFailure({ ...payload, error_code: 7 });
    return;
  }
  isTrue<Equal<typeof payload, FailedPayout>>();
  // An open list: an editor offers the known values, and any text is accepted.
  payload.error_code = 'PE0001';
  payload.error_code = 'PE9999';
  isTrue<Equal<NonNullable<ReturnType<typeof payoutFailure>>['reason'], string | undefined>>();
  payoutFailure(payload);
}

createWebhookHandler({
  credentials,
  on: {
    payment(notification, context) {
      isTrue<Equal<typeof notification.kind, 'payment'>>();
      isTrue<Equal<typeof notification.payload, SalePayload>>();
      isTrue<Equal<typeof context, WebhookContext<undefined>>>();
      isTrue<Equal<typeof context.handledStates, readonly string[]>>();
      isTrue<Equal<typeof context.transaction, undefined>>();
      isTrue<Equal<typeof context.order, undefined>>();
    },
    saleStatus: async ({ payload }) => isTrue<Equal<typeof payload, SalePayload>>(),
    reversal: ({ payload }) => isTrue<Equal<typeof payload, ReversalPayload>>(),
    refund: ({ payload }) => isTrue<Equal<typeof payload, RefundPayload>>(),
    payout: ({ payload }) => payoutsNarrow(payload),
    unrecognized: ({ raw, issues }) => void [raw['x'], issues?.[0]?.path],
  },
});

// A handler that knows orders passes them in the same context.
type Order = { readonly key: string } | undefined;
const withOrder = {
  payment: (_, { order }) => void order?.key,
} satisfies WebhookCallbacks<readonly [], undefined, Order>;
void withOrder;
isTrue<Equal<WebhookContext<undefined, Order>['order'], Order>>();

createWebhookHandler({ credentials, on: { payment: 'ignore' } });
createWebhookHandler({
  credentials,
  // @ts-expect-error: undefined, which is refused: leave the kind out, or say 'ignore'
  on: { refund: undefined },
});
// A callback may be left out under a condition.
declare const wanted: boolean;
createWebhookHandler({
  credentials,
  on: {
    payment: 'ignore',
    ...(wanted && { refund: () => undefined }),
    ...(wanted ? { payout: ({ payload }) => void payload.uuid } : {}),
  },
});
createWebhookHandler({ credentials: [credentials, credentials] as const, on: {}, store: undefined });

createWebhookHandler({
  credentials,
  // @ts-expect-error: a misspelt kind
  on: { paymentt: () => undefined },
});
createWebhookHandler({
  credentials,
  // @ts-expect-error: a misspelt 'ignore'
  on: { payment: 'ignored' },
});
createWebhookHandler({
  credentials,
  // @ts-expect-error: a kind that is in no `kinds`
  on: { charge: () => undefined },
});
// @ts-expect-error: without credentials
createWebhookHandler({ on: {} });
// @ts-expect-error: half a pair
createWebhookHandler({ credentials: { apiKey: 'k' }, on: {} });

// The merchant's own kinds.
interface Charge {
  readonly instructionId: string;
  readonly attempt: number;
}
const charge = defineNotification({
  kind: 'charge',
  match: (body, query) => 'instructionId' in body && !query.has('x'),
  schema: zod.object({ instructionId: zod.string(), attempt: zod.number() }),
  subject: ({ instructionId }) => instructionId,
  state: ({ attempt }) => String(attempt),
});
const byHand = defineNotification({
  kind: 'byHand',
  match: () => true,
  schema: {} as StandardSchemaV1<unknown, Charge>,
  subject: (payload) => {
    isTrue<Equal<typeof payload, Charge>>();
    return payload.instructionId;
  },
});
defineNotification({
  kind: 'wrong',
  match: () => true,
  schema: {} as StandardSchemaV1<unknown, Charge>,
  // @ts-expect-error: a subject is text
  subject: ({ attempt }) => attempt,
});

const own = parseNotification({ body: '{}', kinds: [charge, byHand] });
isTrue<
  Equal<
    typeof own.kind,
    | 'payment'
    | 'saleStatus'
    | 'reversal'
    | 'refund'
    | 'payout'
    | 'recurrence'
    | 'unrecognized'
    | 'charge'
    | 'byHand'
  >
>();
if (own.kind === 'charge') isTrue<Equal<typeof own.payload, { instructionId: string; attempt: number }>>();
if (own.kind === 'byHand') isTrue<Equal<typeof own.payload, Charge>>();

createWebhookHandler({
  credentials,
  kinds: [charge, byHand],
  on: {
    charge: ({ kind, payload }) => {
      isTrue<Equal<typeof kind, 'charge'>>();
      isTrue<Equal<typeof payload.attempt, number>>();
      // @ts-expect-error: a misspelt field
      payload.attempts;
    },
    byHand: 'ignore',
    payment: ({ payload }) => isTrue<Equal<typeof payload, SalePayload>>(),
  },
});
createWebhookHandler({
  credentials,
  kinds: [charge],
  // @ts-expect-error: a misspelt kind of the merchant
  on: { chargee: () => undefined },
});

// The transaction has the type that the store provides.
interface Sql {
  query(text: string): Promise<unknown>;
}
createWebhookHandler({
  credentials,
  store: {} as Store<Sql>,
  on: {
    payment: async (_, { transaction }) => {
      isTrue<Equal<typeof transaction, Sql>>();
      await transaction.query('SELECT 1');
    },
  },
});
createWebhookHandler({
  credentials,
  store: new MemoryStore(),
  on: {
    payment: (_, { transaction }) => {
      // @ts-expect-error: a store without transactions provides none
      transaction.query('SELECT 1');
    },
  },
});

// A callback may return anything. The types are those of the libraries, as far as a callback sees them.
interface PrismaPromiseLike<T> extends Promise<T> {
  readonly [Symbol.toStringTag]: 'PrismaPromise';
}
interface QueryBuilderLike<T> extends PromiseLike<T> {
  where(column: string, value: string): QueryBuilderLike<T>;
}
declare const prisma: { order: { update(of: object): PrismaPromiseLike<{ id: string }> } };
declare const knex: (table: string) => QueryBuilderLike<number>;
declare const drizzle: { update(table: object): QueryBuilderLike<{ rowCount: number }[]> };
createWebhookHandler({
  credentials,
  on: {
    payment: ({ payload }) => prisma.order.update({ where: { uuid: payload.saleToken } }),
    refund: ({ payload }) => knex('orders').where('uuid', payload.saleToken),
    reversal: async ({ payload }) => drizzle.update({}).where('uuid', payload.uuid),
    payout: ({ payload }) => payload.uuid.length,
    unrecognized: () => undefined,
  },
});

// `confirm` takes a client, or one with its options; the context has what it said.
declare const client: import('pix-automatic-sdk').PaymentsClient;
createWebhookHandler({ credentials, confirm: client, on: {} });
createWebhookHandler({
  credentials,
  confirm: { client, acceptRefunded: true },
  on: { payment: (_, { confirmation }) => confirmation?.transaction.refunds?.quantity },
});
createWebhookHandler({
  credentials,
  // @ts-expect-error: a misspelt option
  confirm: { client, acceptRefund: true },
  on: {},
});
