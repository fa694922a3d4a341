import * as z from 'zod/mini';
import { explainPixCode } from '../../pix/explain-pix-code';
import type { PayoutErrorCode } from '../../service/notifications/payout';
import { operationNames } from '../../service/operations';
import { faultSchema } from '../faults';
import type { SandboxNotification } from '../model/records';
import { chargeFailureCodes } from '../model/recurrence';
import { type Text, text } from '../text';
import { amountField, type Control, choiceField, control, flagField, textField } from './control';

// To add a control, add an object here. Its route, `curl`, command and form follow from it; docs/sandbox.md names its command.

const amount = amountField('field.amount');
const reason = textField('field.reason');
const optionalText = z.optional(z.string());

/** What the controls of one scheduled payment share. */
const scheduledPayment = {
  subject: 'scheduled-payment',
  data: (scheduledPayment: object) => ({ scheduledPayment }),
  done: 'scheduledPayment.done',
} as const;

/** What the controls that end a recurrence share. */
const endOfRecurrence = { subject: 'recurrence', done: 'recurrence.done' } as const;

/** What the controls by which the payer does not accept a recurrence share. */
const refusalOfRecurrence = { subject: 'journey', done: 'recurrence.done' } as const;

/** What people call each code that a charge fails with. */
const chargeFailures = Object.fromEntries(
  chargeFailureCodes.map((code) => {
    const meaning = (locale: 'en' | 'pt-BR') => `${code}: ${explainPixCode(code, 'charge', locale)?.meaning}`;
    return [code, [meaning('en'), meaning('pt-BR')]];
  }),
) as unknown as Readonly<Record<(typeof chargeFailureCodes)[number], Text>>;

/** What the controls of one reversal share. */
const reversal = {
  subject: 'reversal',
  data: (reversal: object) => ({ reversal }),
  done: 'reversal.done',
} as const;

const operation = {
  ...textField('field.operation'),
  schema: z.optional(z.enum(operationNames)),
  input: 'choice',
  choices: operationNames,
} as const;

const payoutFailures: Readonly<Record<PayoutErrorCode, Text>> = {
  PE0001: text('payoutFailure.PE0001'),
  PE0002: text('payoutFailure.PE0002'),
  PE0003: text('payoutFailure.PE0003'),
  PE0004: text('payoutFailure.PE0004'),
};

/** What people call each kind of notification. */
export const kindTexts: Readonly<Record<SandboxNotification['kind'], Text>> = {
  payment: text('kind.payment'),
  saleStatus: text('kind.saleStatus'),
  reversal: text('kind.reversal'),
  refund: text('kind.refund'),
  payout: text('kind.payout'),
  recurrence: text('kind.recurrence'),
  custom: text('kind.custom'),
};

/** Every control, in the order of `GET /sandbox`. */
export const controls: readonly Control[] = [
  control({
    name: 'list-journeys',
    endpoint: 'GET /transactions',
    run: ({ transactions }) => ({ transactions }),
  }),
  control({
    name: 'create',
    endpoint: 'POST /transactions',
    data: (journey) => journey,
    done: 'create.done',
    isSilent: true,
    fields: {
      referenceCode: textField('create.referenceCode'),
      amount: amountField('create.amount'),
      authorizeOnly: flagField('create.authorizeOnly'),
    },
    example: { referenceCode: 'order-1001' },
    run: (sandbox, _id, order) => sandbox.createTestJourney(order),
  }),
  control({
    name: 'pay',
    endpoint: 'POST /transactions/:id/pay',
    subject: 'journey',
    data: (paid) => paid,
    done: 'pay.done',
    run: (sandbox, id) => ({ scheduledPayments: sandbox.pay(id) }),
  }),
  control({
    name: 'authorize',
    endpoint: 'POST /transactions/:id/authorize',
    subject: 'journey',
    data: (authorized) => authorized,
    done: 'authorize.done',
    run: (sandbox, id) => ({ scheduledPayments: sandbox.authorize(id) }),
  }),
  control({
    name: 'charge',
    endpoint: 'POST /transactions/:id/charge',
    subject: 'recurrence',
    data: (scheduledPayment) => ({ scheduledPayment }),
    done: 'charge.done',
    fields: {
      fails: choiceField(chargeFailures, 'charge.fails'),
      retry: flagField('charge.retry'),
      amount: { ...amount, isForScripts: true },
    },
    example: { fails: 'AM04', retry: true },
    run: (sandbox, id, { amount, fails, retry }) => sandbox.charge(id, { amount, fails, willRetry: retry }),
  }),
  control({
    name: 'cancel-recurrence',
    endpoint: 'POST /transactions/:id/recurrence/cancel',
    ...endOfRecurrence,
    run: (sandbox, id) => sandbox.cancelByPayer(id),
  }),
  control({
    name: 'conclude-recurrence',
    endpoint: 'POST /transactions/:id/recurrence/conclude',
    ...endOfRecurrence,
    run: (sandbox, id) => sandbox.concludeRecurrence(id),
  }),
  control({
    name: 'reject-recurrence',
    endpoint: 'POST /transactions/:id/recurrence/reject',
    ...refusalOfRecurrence,
    run: (sandbox, id) => sandbox.rejectRecurrence(id),
  }),
  control({
    name: 'expire-recurrence',
    endpoint: 'POST /transactions/:id/recurrence/expire',
    ...refusalOfRecurrence,
    run: (sandbox, id) => sandbox.expireRecurrence(id),
  }),
  control({
    name: 'cancel',
    endpoint: 'POST /transactions/:id/cancel',
    subject: 'journey',
    done: 'cancel.done',
    run: (sandbox, id) => sandbox.cancelTransaction(id),
  }),
  control({
    name: 'refund',
    endpoint: 'POST /transactions/:id/refund',
    subject: 'paid-journey',
    data: (refund) => ({ refund }),
    done: 'refund.done',
    fields: {
      amount,
      reason,
      receipt: {
        ...textField('refund.receipt'),
        schema: z.optional(z.nullable(z.string())),
        isForScripts: true,
      },
    },
    example: { amount: 10, reason: 'damaged goods' },
    run: (sandbox, id, options) => sandbox.refund(id, options),
  }),
  control({
    name: 'reverse',
    endpoint: 'POST /transactions/:id/reverse',
    subject: 'paid-journey',
    data: (reversal) => ({ reversal }),
    done: 'reverse.done',
    fields: {
      amount,
      reason,
      complete: flagField('reverse.complete'),
      cancel: flagField('reverse.cancel'),
    },
    oneOf: { flags: ['complete', 'cancel'], label: text('reverse.outcome'), none: text('reverse.pending') },
    example: { reason: 'sale not identified' },
    run: (sandbox, id, options) => sandbox.reverse(id, options),
  }),
  control({
    name: 'complete-reversal',
    endpoint: 'POST /reversals/:id/complete',
    ...reversal,
    run: (sandbox, id) => sandbox.completeReversal(id),
  }),
  control({
    name: 'cancel-reversal',
    endpoint: 'POST /reversals/:id/cancel',
    ...reversal,
    run: (sandbox, id) => sandbox.cancelReversal(id),
  }),
  control({
    name: 'list-scheduled-payments',
    endpoint: 'GET /transactions/:id/scheduled-payments',
    run: (sandbox, id) => ({ scheduledPayments: sandbox.scheduledPayments(id) }),
  }),
  control({
    name: 'cancel-scheduled',
    endpoint: 'POST /scheduled-payments/:id/cancel',
    ...scheduledPayment,
    fields: { reason },
    example: { reason: 'asked for by the customer' },
    run: (sandbox, id, { reason }) => sandbox.cancelScheduledPayment(id, reason),
  }),
  control({
    name: 'hide',
    endpoint: 'POST /transactions/:id/hide',
    subject: 'paid-journey',
    typed: 'verify',
    run: (sandbox, id) => sandbox.hideTransaction(id),
  }),
  control({
    name: 'pay-out',
    endpoint: 'POST /payouts',
    data: (payout) => ({ payout }),
    done: 'pay-out.done',
    fields: {
      amount: { schema: z.number(), input: 'amount', label: text('pay-out.amount') },
      fail: choiceField(payoutFailures, 'pay-out.fail'),
      reason: textField('pay-out.reason'),
      referenceCode: textField('pay-out.referenceCode'),
      currency: { ...textField('pay-out.currency'), isForScripts: true },
      bankDetails: {
        schema: z.optional(
          z.strictObject({ bank: optionalText, branch: optionalText, account: optionalText }),
        ),
        input: 'json',
        label: text('pay-out.bankDetails'),
        isForScripts: true,
      },
    },
    example: { amount: 25, fail: 'PE0003', reason: 'account closed' },
    run: (sandbox, _id, options) => sandbox.payOut(options),
  }),
  control({
    name: 'notify',
    endpoint: 'POST /notifications',
    done: 'notify.done',
    fields: {
      payload: {
        schema: z.record(z.string(), z.unknown()),
        input: 'json',
        label: text('notify.payload'),
      },
      query: textField('notify.query'),
    },
    example: { payload: { event: 'my-event' }, query: 'type=recurrence' },
    run: (sandbox, _id, { payload, query }) => sandbox.notify(payload, query),
  }),
  control({
    name: 'list-deliveries',
    endpoint: 'GET /deliveries',
    run: ({ deliveries }) => ({ deliveries }),
  }),
  control({
    name: 'resend',
    endpoint: 'POST /deliveries/:id/redeliver',
    subject: 'delivery',
    typed: 'resend',
    run: (sandbox, id) => sandbox.redeliver(id),
  }),
  control({
    name: 'show-listener',
    endpoint: 'GET /webhook-url',
    run: ({ webhookUrl }) => ({ webhookUrl }),
  }),
  control({
    name: 'set-listener',
    endpoint: 'PUT /webhook-url',
    done: 'set-listener.done',
    isSilent: true,
    argument: 'webhookUrl',
    fields: {
      webhookUrl: textField('set-listener.webhookUrl'),
    },
    example: { webhookUrl: 'http://127.0.0.1:3000/webhooks' },
    run: (sandbox, _id, options) => sandbox.setWebhookUrl(options.webhookUrl),
  }),
  control({
    name: 'list-faults',
    endpoint: 'GET /faults',
    run: ({ pendingFaults }) => ({ faults: pendingFaults }),
  }),
  control({
    name: 'set-fault',
    endpoint: 'POST /faults',
    typed: 'fault getTransaction status --status 503 --times 2',
    fields: {
      operation: { ...operation, schema: z.enum(operationNames) },
      fault: { schema: faultSchema, input: 'json', label: text('set-fault.fault') },
    },
    example: { operation: 'getTransaction', fault: { kind: 'status', status: 503, times: 2 } },
    run: (sandbox, _id, { operation, fault }) => sandbox.fault(operation, fault),
  }),
  control({
    name: 'clear-faults',
    endpoint: 'DELETE /faults',
    typed: 'fault --clear',
    fields: {
      operation: { ...operation, isForScripts: true },
      id: { ...textField('clear-faults.id'), isForScripts: true },
    },
    run: (sandbox, _id, which) => sandbox.clearFaults(which),
  }),
];
