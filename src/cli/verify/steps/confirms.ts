import { say } from '../../language';
import { partOf, type SandboxClient } from '../../sandbox-client';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books, type Outcome, type Step } from '../step';
import type { Script, World } from '../world';
import { paymentStep } from './payments';

/** More than a client's retries use up. The rest is removed afterwards. */
const FAULTS = 50;

/** Whether a listener that asks the service about a payment acts on the answer. */
export async function* confirms(world: World): Script {
  const { sales, sandbox, hasEffects } = world;
  if (sandbox === undefined || !hasEffects) {
    yield {
      id: 'unconfirmed',
      sends: [],
      open: say(sandbox === undefined ? 'confirms.needsSales' : 'run.withoutEffects'),
    };
    return;
  }
  if (!(yield* unasked(world, sandbox))) return;

  const wrong = await sales.sale();
  const cent = { ...wrong.payment, payload: { ...wrong.payment.payload, amount: 0.01 } };
  const booked = yield maybe('wrongAmount', say('sent.wrongAmount'), cent);
  if (booked.rows.length > 0) booked.blame('comparesNoAmount');
  const right = yield paymentStep('rightAmount', wrong.payment);
  if (booked.types.length === 0 && right.only('missing'))
    right.blame(booked.exchanges[0]?.reception === 'accepted' ? 'keepsUnconfirmed' : 'recordsBeforeWork');

  const open = await sales.unpaid();
  const early = yield maybe('unpaid', say('sent.unpaid'), open.payment);
  if (early.rows.length > 0) early.blame('comparesNoState');
  await open.pay();
  const calls = await sandbox.callsAbout(open.uuid);
  const isKept = early.exchanges[0]?.reception === 'accepted';
  const paid: Outcome = yield paymentStep('paidSince', open.payment);
  if (early.types.length === 0 && paid.only('missing', 'refused')) {
    const hasAsked = (await sandbox.callsAbout(open.uuid)) > calls;
    if (!hasAsked && paid.types.includes('refused')) {
      const other = yield { ...paymentStep('afterRefused', (await sales.sale()).payment), isProbe: true };
      paid.blame(other.holds ? 'caches' : 'keepsLock');
    }
    if (paid.only('missing')) paid.blame(isKept ? 'keepsUnconfirmed' : 'recordsBeforeWork');
  }
  const next = yield paymentStep('afterRefused', (await sales.sale()).payment);
  if (!next.holds && right.holds) next.blame('keepsLock');
}

/** While the service cannot be asked. @returns whether the listener asks at all */
async function* unasked({ sales, hold }: World, sandbox: SandboxClient): Script<boolean> {
  const sale = await sales.sale();
  const fault = { kind: 'status', status: 503, times: FAULTS, transactionUUID: sale.uuid };
  const armed = await hold(() =>
    sandbox.call('POST', '/sandbox/faults', { operation: 'getTransaction', fault }),
  );
  const calls = await sandbox.callsAbout(sale.uuid);
  const asks = async () => (await sandbox.callsAbout(sale.uuid)) > calls;
  const outcome: Outcome = yield { ...maybe('unasked', say('sent.unasked'), sale.payment), isProbe: true };
  const hasAsked = await asks();
  await sandbox.call('DELETE', '/sandbox/faults', { id: partOf<string>(armed, 'id') });
  if (!hasAsked) {
    yield { id: 'unasked', sends: [], open: say('confirms.doesNotAsk') };
    return false;
  }
  if (outcome.rows.length > 0) {
    const found = yield { id: 'unasked', sends: [], found: [['confirms.actedUnasked', {}]] };
    found.blame('actsUnasked');
    return true;
  }
  if (outcome.exchanges[0]?.reception === 'accepted') {
    // The service does not send it again: a worker of the listener must come back to it.
    const kept = yield { id: 'unasked', sends: [], must: [{ ...bookingOf(sale.payment), orBefore: true }] };
    if (kept.only('missing')) kept.blame('swallows');
    return true;
  }
  const again = yield books('unasked', { what: say('sent.askedAgain'), notification: sale.payment });
  if (again.only('missing')) again.blame('recordsBeforeWork');
  return true;
}

function maybe(id: Step['id'], what: string, notification: Sale['payment']): Step {
  return { id, sends: [{ what, notification, accept: 'may' }] };
}
