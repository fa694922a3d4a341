import { partOf, type SandboxClient } from '../../sandbox-client';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books, type Step } from '../step';
import type { Script, World } from '../world';
import { paymentStep } from './payments';

/** More than a client's retries use up. The rest is removed afterwards. */
const FAULTS = 50;

/**
 * Whether a listener that asks the service about a payment acts on the answer.
 *
 * @returns whether it answers 200 to a payment that is not confirmed yet, and no row shows what becomes of it
 */
export async function* confirms(world: World): Script<boolean> {
  const { sales, sandbox, hasEffects } = world;
  if (sandbox === undefined || !hasEffects) {
    const open =
      sandbox === undefined
        ? 'these steps need sales that exist: pass --sandbox'
        : 'responses do not show what the listener books: pass --effects';
    yield { id: 'unconfirmed', sends: [], open };
    return false;
  }
  if (!(yield* unasked(world, sandbox))) return false;
  const wrong = await sales.sale();
  const cent = { ...wrong.payment, payload: { ...wrong.payment.payload, amount: 0.01 } };
  const tooLittle = maybe('wrongAmount', 'a payment of 0.01, which is not what the sale costs', cent);
  yield tooLittle;
  yield { ...paymentStep('rightAmount', wrong.payment), follows: tooLittle };
  const open = await sales.unpaid();
  const sent = 'a payment of a sale that nobody has paid yet';
  const unpaid = yield maybe('unpaid', sent, open.payment);
  await open.pay();
  const isAccepted = unpaid.exchanges[0]?.reception === 'accepted';
  const later: Step = { id: 'paidSince', sends: [], must: [{ ...bookingOf(open.payment), orBefore: true }] };
  // The service does not send it again. Only a row shows that the listener comes back to it.
  const isSeen = isAccepted && (yield { ...later, isProbe: true }).rows.length === 0;
  yield isSeen ? later : paymentStep('paidSince', open.payment);
  yield paymentStep('afterRefused', (await sales.sale()).payment);
  return isAccepted && !isSeen;
}

/** While the service cannot be asked. @returns whether the listener asks at all */
async function* unasked({ sales, hold }: World, sandbox: SandboxClient): Script<boolean> {
  const sale = await sales.sale();
  const fault = { kind: 'status', status: 503, times: FAULTS, transactionUUID: sale.uuid };
  const armed = await hold(() =>
    sandbox.call('POST', '/sandbox/faults', { operation: 'getTransaction', fault }),
  );
  const calls = await sandbox.callsAbout(sale.uuid);
  const outcome = yield {
    ...maybe('unasked', 'a payment while the transaction query answers 503', sale.payment),
    isProbe: true,
  };
  const hasAsked = (await sandbox.callsAbout(sale.uuid)) > calls;
  await sandbox.call('DELETE', '/sandbox/faults', { id: partOf<string>(armed, 'id') });
  if (!hasAsked)
    yield {
      id: 'unasked',
      sends: [],
      open: 'your listener books payments without asking the service about them, so whoever has the credentials names the amount',
    };
  else if (outcome.rows.length > 0)
    yield {
      id: 'unasked',
      sends: [],
      found: ['a payment was booked while the transaction query answered 503'],
    };
  // The service does not send it again: a worker of the listener must come back to it.
  else if (outcome.exchanges[0]?.reception === 'accepted')
    yield { id: 'unasked', sends: [], must: [{ ...bookingOf(sale.payment), orBefore: true }] };
  else
    yield books('unasked', {
      what: 'the payment again, now that the query answers',
      notification: sale.payment,
    });
  return hasAsked;
}

function maybe(id: Step['id'], what: string, notification: Sale['payment']): Step {
  return { id, sends: [{ what, notification, accept: 'may' }] };
}
