import { ConfigurationError } from '../../errors';
import type { Schema } from '../../schemas/schema';
import { json, type ServiceAnswer, type ServiceRequest } from '../model/answers';
import { parseBody } from '../model/request-body';
import { SandboxError } from '../model/sandbox-error';
import type { SandboxControls } from '../sandbox';
import * as schemas from './control-schemas';

interface ControlRoute {
  readonly method: string;
  /** As a reader knows it: `/sandbox/transactions/:id/pay`. */
  readonly template: string;
  readonly path: RegExp;
  run(sandbox: SandboxControls, id: string, body: string): object | Promise<object>;
}

/** The HTTP form of the control methods. All of it is the sandbox's own, and under a prefix that the service has not. */
const routes: readonly ControlRoute[] = [
  route('POST', '/transactions/:id/pay', schemas.nothing, (sandbox, id) => ({
    scheduledPayments: sandbox.pay(id),
  })),
  route('POST', '/transactions/:id/cancel', schemas.nothing, (sandbox, id) => {
    sandbox.cancelTransaction(id);
    return {};
  }),
  route('POST', '/transactions/:id/reverse', schemas.returnOptions, (sandbox, id, options) =>
    sandbox.reverse(id, options),
  ),
  route('POST', '/transactions/:id/refund', schemas.refundOptions, (sandbox, id, options) =>
    sandbox.refund(id, options),
  ),
  route('GET', '/transactions/:id/scheduled-payments', schemas.nothing, (sandbox, id) => ({
    scheduledPayments: sandbox.scheduledPayments(id),
  })),
  route('POST', '/scheduled-payments/:id/pay', schemas.nothing, (sandbox, id) =>
    sandbox.payScheduledPayment(id),
  ),
  route('POST', '/reversals/:id/complete', schemas.nothing, (sandbox, id) => sandbox.completeReversal(id)),
  route('POST', '/reversals/:id/cancel', schemas.nothing, (sandbox, id) => sandbox.cancelReversal(id)),
  route('POST', '/payouts', schemas.payOutOptions, (sandbox, _id, options) => sandbox.payOut(options)),
  route('POST', '/notifications', schemas.customNotification, (sandbox, _id, { payload, query }) => {
    sandbox.notify(payload, query);
    return {};
  }),
  route('GET', '/deliveries', schemas.nothing, (sandbox) => ({ deliveries: sandbox.deliveries })),
  route('POST', '/deliveries/:id/redeliver', schemas.nothing, (sandbox, id) => sandbox.redeliver(id)),
  route('PUT', '/webhook-url', schemas.webhookTarget, (sandbox, _id, { webhookUrl }) => {
    sandbox.setWebhookUrl(webhookUrl);
    return {};
  }),
  route('POST', '/faults', schemas.operationFault, (sandbox, _id, { operation, fault }) => {
    sandbox.fault(operation, fault);
    return {};
  }),
  route('DELETE', '/faults', schemas.nothing, (sandbox) => {
    sandbox.clearFaults();
    return {};
  }),
];

/** Every control call as a line to show: `POST /sandbox/transactions/:id/pay`. */
export const controlCalls: readonly string[] = routes.map(({ method, template }) => `${method} ${template}`);

/** Answers a control call, or gives `undefined` for a request that is none. */
export async function control(
  sandbox: SandboxControls,
  request: ServiceRequest,
  isAuthorized: boolean,
): Promise<ServiceAnswer | undefined> {
  const [path = ''] = request.path.split('?');
  for (const { method, path: pattern, run } of routes) {
    const match = pattern.exec(path);
    if (match === null || method !== request.method) continue;
    // Asked for here too: a page in a browser can post to this machine, and cannot know them.
    if (!isAuthorized) return json(401, { message: 'Control calls need `x-api-key` and `x-api-token` too.' });
    try {
      return json(200, await run(sandbox, match[1] ?? '', request.body || '{}'));
    } catch (error) {
      return refusal(error);
    }
  }
  return undefined;
}

function route<Options>(
  method: string,
  template: string,
  schema: Schema<Options>,
  run: (sandbox: SandboxControls, id: string, options: Options) => object | Promise<object>,
): ControlRoute {
  return {
    method,
    template: `/sandbox${template}`,
    path: new RegExp(`^/sandbox${template.replace(':id', '([^/]+)')}$`),
    run(sandbox, id, body) {
      const parsed = parseBody(schema, body);
      if (parsed.problem !== undefined) throw new SandboxError('invalid', parsed.problem);
      return run(sandbox, id, parsed.value);
    },
  };
}

const statuses = { unknown: 404, 'not-allowed': 409, invalid: 400 } as const;

function refusal(error: unknown): ServiceAnswer {
  if (error instanceof SandboxError) return json(statuses[error.code], { message: error.message });
  if (error instanceof ConfigurationError) return json(400, { message: error.message });
  throw error;
}
