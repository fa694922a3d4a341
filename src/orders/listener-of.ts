import { ConfigurationError } from '../errors/configuration-error';
import { CREDENTIALS, type Credentials, type HasCredentials } from '../service/credentials';
import { isObject, nameOfType } from '../shared/objects';
import { stepsOf } from '../stores/steps';
import { checkFunction, hintFor } from '../values/option-checks';
import { createListener, type ListenerParts } from '../webhooks/handler';
import { type AnyDefinition, checkKinds } from '../webhooks/kinds';
import type { WebhookCallbacks } from '../webhooks/options';
import { noteEvents } from './lost-events';
import { watchRuns } from './maintain-record';
import type { OrdersOptions } from './options';
import { orderLinkOf } from './plan';
import type { OrderCallbacks } from './plan-parts';

// The listener of `createOrders`: its callbacks checked, and linked with the orders.

type ListenerOptions<Transaction> = Omit<
  OrdersOptions<readonly AnyDefinition[], Transaction>,
  'totalTimeoutMs' | 'waitMs'
>;

/** The listener, and what its orders tell of the service. */
export interface OrdersListener extends ListenerParts {
  /** The service does not have a call of its public pages. Told once a process: two parts may find it. */
  readonly onNoCall: (error: unknown) => void;
}

export function listenerOf<Transaction>({
  client,
  on,
  credentials,
  asPayment,
  confirm,
  recurrences,
  kinds = [],
  ...options
}: ListenerOptions<Transaction>): OrdersListener | undefined {
  if (asPayment !== undefined)
    checkFunction('asPayment', asPayment, '(body) => ({ saleToken }) or undefined');
  if (confirm !== undefined && confirm !== false) {
    throw new ConfigurationError(
      'Expected `confirm` to be `false` or left out: `createOrders` asks its `client` about each payment.',
    );
  }
  if (recurrences !== undefined && typeof recurrences !== 'boolean') {
    throw new ConfigurationError(
      `Expected \`recurrences\` to be true, false or left out, got ${nameOfType(recurrences)}.`,
    );
  }
  if (on === undefined) return undefined;
  const { paid, returned, foreign, recurrence, ...others } = checkCallbacks(on, kinds);
  const callbacks = { paid, returned, foreign, recurrence } as OrderCallbacks;
  let isNoted = false;
  let isNoCallTold = false;
  const onNoCall = (error: unknown) => {
    if (isNoCallTold) return;
    isNoCallTold = true;
    parts.listener.report('recurrence_call_missing', { status: 200, error });
  };
  const link = orderLinkOf(client, callbacks, asPayment, kinds, {
    async onEvent(hasMissed) {
      if (recurrences === false || (isNoted && !hasMissed)) return;
      isNoted = true;
      // `maintain` needs it a day later: the next process tries again.
      await noteEvents(stepsOf(options.store), hasMissed).catch(() => undefined);
    },
    onNoCall,
    onAnswer: watchRuns(stepsOf(options.store), () =>
      parts.listener.report('not_maintained', { status: 200 }),
    ),
  });
  const parts: ListenerParts = createListener(
    {
      ...options,
      kinds,
      credentials: credentials ?? credentialsOf(client),
      confirm: confirm ?? { client, acceptRefunded: true },
      deadLetters: true,
      on: others as WebhookCallbacks<readonly AnyDefinition[], Transaction>,
    },
    link,
  );
  return { ...parts, onNoCall };
}

/** @throws `ConfigurationError` for callbacks that cannot work, or that are of `createWebhookHandler` */
function checkCallbacks<Callbacks extends object>(on: Callbacks, kinds: readonly AnyDefinition[]): Callbacks {
  if (!isObject(on)) {
    throw new ConfigurationError('Expected `on` to be an object with `paid` and `returned`.');
  }
  for (const kind of Object.keys(INSTEAD)) {
    if (!Object.hasOwn(on, kind)) continue;
    throw new ConfigurationError(
      `\`createOrders\` has no \`on.${kind}\`. ${INSTEAD[kind]} For each notification as it comes, take \`createWebhookHandler\`.`,
    );
  }
  checkKinds(kinds);
  const own = kinds.map(({ kind }) => kind);
  const known = ['paid', 'returned', 'foreign', 'recurrence', 'payout', 'unrecognized', ...own];
  const unknown = Object.keys(on).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `\`createOrders\` has no \`on.${unknown}\`. ${hintFor(unknown, known, 'The callbacks')}`,
    );
  }
  const { paid, returned, foreign, recurrence } = on as Partial<OrderCallbacks>;
  checkFunction('on.paid', paid, 'async ({ order, isFirst }, { transaction }) => …');
  if (returned !== 'ignore')
    checkFunction('on.returned', returned, "async ({ order, left }) => …` or `'ignore'");
  if (foreign !== undefined && foreign !== 'ignore') {
    checkFunction('on.foreign', foreign, "({ kind, payload }) => …` or `'ignore'");
  }
  if (recurrence !== undefined) {
    checkFunction('on.recurrence', recurrence, 'async ({ order, event, charge }) => …');
  }
  return on;
}

const INSTEAD: Readonly<Record<string, string>> = {
  payment: '`on.paid` books what is expected, and everything else is one of `orders.cases()`.',
  refund: '`on.returned` books what went back.',
  reversal: '`on.returned` books what went back.',
  saleStatus: 'Each sale that changes its status is one of `orders.cases()`.',
};

/** @throws `ConfigurationError` for a client that is no `PaymentsClient` */
function credentialsOf(client: object): readonly Credentials[] {
  const { [CREDENTIALS]: pairs } = client as Partial<HasCredentials>;
  if (typeof pairs === 'function') return pairs.call(client as HasCredentials);
  throw new ConfigurationError(
    'Expected `credentials`, the pairs that the listener accepts, because `client` is no `PaymentsClient`, which has them: ' +
      '`{ apiKey, apiToken }`, or `credentialsFromEnv()`, which reads PAYMENTS_API_KEY and PAYMENTS_API_TOKEN.',
  );
}
