import { say } from '../../language';
import { partOf, type SandboxClient } from '../../sandbox-client';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books, type Step } from '../step';
import type { Script, World } from '../world';
import { paymentStep } from './payments';

/** More than a client's retries use up. The rest is removed afterwards. */
const FAULTS = 50;

/** Whether a listener that asks the service about a payment acts on the answer. */
export async function* confirms(world: World): Script {
  const { sales, sandbox, hasEffects } = world;
  if (sandbox === undefined || !hasEffects) {
    const open = say(sandbox === undefined ? 'confirms.needsSales' : 'run.withoutEffects');
    yield { id: 'unconfirmed', sends: [], open };
    return;
  }
  if (!(yield* unasked(world, sandbox))) return;
  const wrong = await sales.sale();
  const cent = { ...wrong.payment, payload: { ...wrong.payment.payload, amount: 0.01 } };
  yield maybe('wrongAmount', say('sent.wrongAmount'), cent);
  yield paymentStep('rightAmount', wrong.payment);
  const open = await sales.unpaid();
  yield maybe('unpaid', say('sent.unpaid'), open.payment);
  await open.pay();
  yield paymentStep('paidSince', open.payment);
  yield paymentStep('afterRefused', (await sales.sale()).payment);
}

/** While the service cannot be asked. @returns whether the listener asks at all */
async function* unasked({ sales, hold }: World, sandbox: SandboxClient): Script<boolean> {
  const sale = await sales.sale();
  const fault = { kind: 'status', status: 503, times: FAULTS, transactionUUID: sale.uuid };
  const armed = await hold(() =>
    sandbox.call('POST', '/sandbox/faults', { operation: 'getTransaction', fault }),
  );
  const calls = await sandbox.callsAbout(sale.uuid);
  const outcome = yield { ...maybe('unasked', say('sent.unasked'), sale.payment), isProbe: true };
  const hasAsked = (await sandbox.callsAbout(sale.uuid)) > calls;
  await sandbox.call('DELETE', '/sandbox/faults', { id: partOf<string>(armed, 'id') });
  if (!hasAsked) yield { id: 'unasked', sends: [], open: say('confirms.doesNotAsk') };
  else if (outcome.rows.length > 0)
    yield { id: 'unasked', sends: [], found: [['confirms.actedUnasked', {}]] };
  // The service does not send it again: a worker of the listener must come back to it.
  else if (outcome.exchanges[0]?.reception === 'accepted')
    yield { id: 'unasked', sends: [], must: [{ ...bookingOf(sale.payment), orBefore: true }] };
  else yield books('unasked', { what: say('sent.askedAgain'), notification: sale.payment });
  return hasAsked;
}

function maybe(id: Step['id'], what: string, notification: Sale['payment']): Step {
  return { id, sends: [{ what, notification, accept: 'may' }] };
}
