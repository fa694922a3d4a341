import * as z from 'zod/mini';
import { documentedKinds } from '../../service/kinds';
import { operationNames } from '../../service/operations';
import { contextOf } from '../delivery/listener-url';
import type { FaultKind } from '../model/fault-queue';
import { payoutErrorCodes } from '../model/payout';
import type { SandboxControls } from '../sandbox';
import { scenarioNames } from '../scenarios';
import { parseControlBody } from './control-body';

/** One control call, for the server and for the list of calls. */
export interface ControlCall {
  readonly method: string;
  /** With `:id` where it has one: `/sandbox/transactions/:id/pay`. */
  readonly path: string;
  readonly description: string;
  /** A body to start from, for calls that take one. */
  readonly example: object | undefined;
  run(sandbox: SandboxControls, id: string, body: string): object | Promise<object>;
}

const amount = z.optional(z.number());
const text = z.optional(z.string());
const times = z.optional(z.number());
const takesEffect = z.optional(z.boolean());

/** A listener has a URL for each context of the merchant panel, or one for all. */
const urls = Object.fromEntries(documentedKinds.map(({ kind }) => [contextOf(kind), text] as const));
const webhookUrl = z.union([z.string(), z.strictObject(urls)], {
  error: `expected a URL, or an object with URLs for ${Object.keys(urls).join(', ')}`,
});

/** A kind of fault with its settings. */
const faultOf = <Kind extends string, Settings extends z.core.$ZodShape>(kind: Kind, settings: Settings) =>
  z.strictObject({ kind: z.literal(kind), ...settings, times });

const faults = {
  latency: faultOf('latency', { ms: z.number().check(z.minimum(0)) }),
  status: faultOf('status', {
    status: z.number(),
    body: text,
    headers: z.optional(z.record(z.string(), z.string())),
    takesEffect,
  }),
  'body-status': faultOf('body-status', { status: z.literal([-1, 999]) }),
  'reset-before-read': faultOf('reset-before-read', {}),
  'reset-after-read': faultOf('reset-after-read', { takesEffect }),
  'stalled-body': faultOf('stalled-body', {}),
  'truncated-body': faultOf('truncated-body', {}),
  'wrong-json': faultOf('wrong-json', {}),
} satisfies { [Kind in FaultKind['kind']]: z.ZodMiniType<{ kind: Kind }> };

// zod's types ask for at least one option.
const { latency, ...others } = faults;
const fault = z.discriminatedUnion('kind', [latency, ...Object.values(others)]);

/** The HTTP form of the control methods, under a prefix that the service itself does not use. */
export const controlTable: readonly ControlCall[] = [
  call('GET /transactions', 'Lists the journeys, the newest last.', (sandbox) => ({
    transactions: sandbox.transactions,
  })),
  call(
    'POST /transactions/:id/pay',
    'The payer pays, and the next payments are scheduled.',
    (sandbox, id) => ({
      scheduledPayments: sandbox.pay(id),
    }),
  ),
  call('POST /transactions/:id/cancel', 'The journey is cancelled.', (sandbox, id) => {
    sandbox.cancelTransaction(id);
    return {};
  }),
  callWith(
    'POST /transactions/:id/refund',
    'A refund is credited; without an amount, all that is left is refunded.',
    { amount, reason: text, receipt: z.optional(z.nullable(z.string())) },
    (sandbox, id, options) => sandbox.refund(id, options),
    { amount: 10, reason: 'damaged goods' },
  ),
  callWith(
    'POST /transactions/:id/reverse',
    'The service starts to return the funds.',
    { amount, reason: text },
    (sandbox, id, options) => sandbox.reverse(id, options),
    { reason: 'sale not identified' },
  ),
  call('POST /reversals/:id/complete', 'The funds are back with the payer.', (sandbox, id) =>
    sandbox.completeReversal(id),
  ),
  call('POST /reversals/:id/cancel', 'The reversal is cancelled.', (sandbox, id) =>
    sandbox.cancelReversal(id),
  ),
  call(
    'GET /transactions/:id/scheduled-payments',
    'Lists the scheduled payments of a journey.',
    (sandbox, id) => ({ scheduledPayments: sandbox.scheduledPayments(id) }),
  ),
  call('POST /scheduled-payments/:id/pay', 'A scheduled payment is charged.', (sandbox, id) =>
    sandbox.payScheduledPayment(id),
  ),
  call('POST /scheduled-payments/:id/fail', 'A scheduled payment fails.', (sandbox, id) =>
    sandbox.failScheduledPayment(id),
  ),
  callWith(
    'POST /transactions/:id/scenario',
    `Plays one of the scenarios ${scenarioNames.join(', ')}; with a step, one notification of it.`,
    { name: z.enum(scenarioNames), step: z.optional(z.number()) },
    (sandbox, id, { name, step }) => sandbox.playScenario(name, id, { step }),
    { name: 'no-funds-three-times', step: 1 },
  ),
  callWith(
    'POST /payouts',
    `A payout is made, or fails with one of the codes ${payoutErrorCodes.join(', ')}.`,
    {
      amount: z.number(),
      currency: text,
      referenceCode: text,
      bankDetails: z.optional(z.strictObject({ bank: text, branch: text, account: text })),
      fail: z.optional(z.enum(payoutErrorCodes)),
      reason: text,
    },
    (sandbox, _id, options) => sandbox.payOut(options),
    { amount: 25, fail: 'PE0003', reason: 'account closed' },
  ),
  callWith(
    'POST /notifications',
    'Sends a notification of your own.',
    { payload: z.record(z.string(), z.unknown()), query: text },
    (sandbox, _id, { payload, query }) => {
      sandbox.notify(payload, query);
      return {};
    },
    { payload: { event: 'my-event' }, query: 'type=recurrence' },
  ),
  call('GET /deliveries', 'Lists the notifications with every attempt, the newest last.', (sandbox) => ({
    deliveries: sandbox.deliveries,
  })),
  call('POST /deliveries/:id/redeliver', 'Sends a notification once more, now.', (sandbox, id) =>
    sandbox.redeliver(id),
  ),
  call('GET /webhook-url', 'Shows where notifications go.', (sandbox) => ({
    webhookUrl: sandbox.webhookUrl,
  })),
  callWith(
    'PUT /webhook-url',
    'Changes where notifications go; without a URL, none are sent.',
    { webhookUrl: z.optional(webhookUrl) },
    (sandbox, _id, options) => {
      sandbox.setWebhookUrl(options.webhookUrl);
      return {};
    },
    { webhookUrl: 'http://127.0.0.1:3000/webhooks' },
  ),
  callWith(
    'POST /faults',
    'Makes the next call of an operation go wrong.',
    { operation: z.enum(operationNames), fault },
    (sandbox, _id, { operation, fault }) => {
      sandbox.fault(operation, fault);
      return {};
    },
    { operation: 'getTransaction', fault: { kind: 'status', status: 503, times: 2 } },
  ),
  callWith(
    'DELETE /faults',
    'Removes the faults that still wait for calls: all of them, or those of one operation.',
    { operation: z.optional(z.enum(operationNames)) },
    (sandbox, _id, { operation }) => {
      sandbox.clearFaults(operation);
      return {};
    },
  ),
];

/** A call without a body. */
function call(
  endpoint: string,
  description: string,
  run: (sandbox: SandboxControls, id: string) => object | Promise<object>,
): ControlCall {
  return callWith(endpoint, description, {}, run);
}

/** A call with these fields in its body. Unlike the service, it refuses unknown fields. */
function callWith<Fields extends z.core.$ZodShape>(
  endpoint: string,
  description: string,
  fields: Fields,
  run: (
    sandbox: SandboxControls,
    id: string,
    options: z.infer<z.ZodMiniObject<Fields, z.core.$strict>>,
  ) => object | Promise<object>,
  example?: z.infer<z.ZodMiniObject<Fields, z.core.$strict>>,
): ControlCall {
  const [method = '', path = ''] = endpoint.split(' ');
  const schema = z.strictObject(fields);
  return {
    method,
    path: `/sandbox${path}`,
    description,
    example,
    run: (sandbox, id, body) => run(sandbox, id, parseControlBody(schema, body)),
  };
}
