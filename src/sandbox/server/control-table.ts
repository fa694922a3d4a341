import type * as z from 'zod/mini';
import type { SandboxControls } from '../sandbox';
import { parseControlBody } from './control-body';
import * as schemas from './control-schemas';

/** One control call: all that the server, the list of calls and the command line know of it. */
export interface ControlCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As a reader knows it: `/sandbox/transactions/:id/pay`. */
  readonly path: string;
  readonly description: string;
  /** A body to start from, for calls that take one. */
  readonly example: object | undefined;
  run(sandbox: SandboxControls, id: string, body: string): object | Promise<object>;
}

/** The HTTP form of the control methods. All of it is the sandbox's own, and under a prefix that the service has not. */
export const controlTable: readonly ControlCall[] = [
  call('GET', '/transactions', 'Lists the journeys, the newest last.', schemas.nothing, (sandbox) => ({
    transactions: sandbox.transactions,
  })),
  call(
    'POST',
    '/transactions/:id/pay',
    'The payer pays, and the next payments are scheduled.',
    schemas.nothing,
    (sandbox, id) => ({ scheduledPayments: sandbox.pay(id) }),
  ),
  call(
    'POST',
    '/transactions/:id/cancel',
    'The journey is cancelled.',
    schemas.nothing,
    done((sandbox, id) => sandbox.cancelTransaction(id)),
  ),
  call(
    'POST',
    '/transactions/:id/refund',
    'A refund is credited; without an amount, of all that is left.',
    schemas.refundOptions,
    (sandbox, id, options) => sandbox.refund(id, options),
    { amount: 10, reason: 'damaged goods' },
  ),
  call(
    'POST',
    '/transactions/:id/reverse',
    'The service starts to return the funds.',
    schemas.returnOptions,
    (sandbox, id, options) => sandbox.reverse(id, options),
    { reason: 'sale not identified' },
  ),
  call(
    'POST',
    '/reversals/:id/complete',
    'The funds are back with the payer.',
    schemas.nothing,
    (sandbox, id) => sandbox.completeReversal(id),
  ),
  call('POST', '/reversals/:id/cancel', 'The reversal is cancelled.', schemas.nothing, (sandbox, id) =>
    sandbox.cancelReversal(id),
  ),
  call(
    'GET',
    '/transactions/:id/scheduled-payments',
    'Lists the scheduled payments of a journey.',
    schemas.nothing,
    (sandbox, id) => ({ scheduledPayments: sandbox.scheduledPayments(id) }),
  ),
  call(
    'POST',
    '/scheduled-payments/:id/pay',
    'A scheduled payment is charged.',
    schemas.nothing,
    (sandbox, id) => sandbox.payScheduledPayment(id),
  ),
  call('POST', '/scheduled-payments/:id/fail', 'A scheduled payment fails.', schemas.nothing, (sandbox, id) =>
    sandbox.failScheduledPayment(id),
  ),
  call(
    'POST',
    '/transactions/:id/scenario',
    'Plays happy-year, no-funds-three-times or payer-cancels; with a step, one notification of it.',
    schemas.scenario,
    (sandbox, id, { name, step }) => sandbox.playScenario(name, id, { step }),
    { name: 'no-funds-three-times', step: 1 },
  ),
  call(
    'POST',
    '/payouts',
    'A payout is made, or fails with a code from PE0001 to PE0004.',
    schemas.payOutOptions,
    (sandbox, _id, options) => sandbox.payOut(options),
    { amount: 25, fail: 'PE0003', reason: 'account closed' },
  ),
  call(
    'POST',
    '/notifications',
    'Sends a notification of your own.',
    schemas.customNotification,
    done((sandbox, _id, { payload, query }) => sandbox.notify(payload, query)),
    { payload: { event: 'my-event' }, query: 'type=recurrence' },
  ),
  call(
    'GET',
    '/deliveries',
    'Lists the notifications with every attempt, the newest last.',
    schemas.nothing,
    (sandbox) => ({ deliveries: sandbox.deliveries }),
  ),
  call(
    'POST',
    '/deliveries/:id/redeliver',
    'Sends a notification once more, now.',
    schemas.nothing,
    (sandbox, id) => sandbox.redeliver(id),
  ),
  call('GET', '/webhook-url', 'Tells where notifications go.', schemas.nothing, (sandbox) => ({
    webhookUrl: sandbox.webhookUrl,
  })),
  call(
    'PUT',
    '/webhook-url',
    'Changes where notifications go; without a URL, nowhere.',
    schemas.webhookTarget,
    done((sandbox, _id, { webhookUrl }) => sandbox.setWebhookUrl(webhookUrl)),
    { webhookUrl: 'http://127.0.0.1:3000/webhooks' },
  ),
  call(
    'POST',
    '/faults',
    'Makes the next call of an operation go wrong.',
    schemas.operationFault,
    done((sandbox, _id, { operation, fault }) => sandbox.fault(operation, fault)),
    { operation: 'getTransaction', fault: { kind: 'status', status: 503, times: 2 } },
  ),
  call(
    'DELETE',
    '/faults',
    'Takes back the faults that no call has met yet: all of them, or those of one operation.',
    schemas.someOperation,
    done((sandbox, _id, { operation }) => sandbox.clearFaults(operation)),
  ),
];

type Run<Options> = (sandbox: SandboxControls, id: string, options: Options) => object | Promise<object>;

function call<Options>(
  method: ControlCall['method'],
  path: string,
  description: string,
  schema: z.ZodMiniType<Options>,
  run: Run<Options>,
  example?: Options & object,
): ControlCall {
  return {
    method,
    path: `/sandbox${path}`,
    description,
    example,
    run: (sandbox, id, body) => run(sandbox, id, parseControlBody(schema, body)),
  };
}

/** For a method that gives nothing back: the answer is `{}`. */
function done<Options>(run: (sandbox: SandboxControls, id: string, options: Options) => void): Run<Options> {
  return (sandbox, id, options) => {
    run(sandbox, id, options);
    return {};
  };
}
