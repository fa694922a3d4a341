import { connect } from 'node:tls';
import { isLoopback } from '../../../client/base-url';
import { sleep } from '../../../shared/time';
import { CliFailure } from '../../failure';
import { say } from '../../language';
import type { CauseId, TextKey } from '../../texts';
import { UNTRUSTED, WRONG_SCHEME } from '../effects';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { type Exchange, isRedirect, type Send } from '../send';
import { books, type Outcome } from '../step';
import type { Script, World } from '../world';

/** A round amount: what a listener does about cents is a step of its own. */
const FIRST = 25;
/** More than the processes of most listeners, each of which may book a payment once. */
const MOST_PROCESSES = 12;

/** What a run begins with: one payment, and whether one process answers. Without it, no other step can say anything. */
export async function* begin(world: World): Script<Sale | string> {
  const sale = await firstSale(world);
  const send = { what: say('sent.payment'), notification: sale.payment };
  const first = yield { ...books('first', send), byAnswers: true };
  const [exchange] = first.exchanges;
  if (exchange === undefined) return say('run.firstNotAccepted');
  if (exchange.reception === 'gone' || exchange.reception === 'broken')
    await endIfNobodyListens(world, exchange);
  if (exchange.reception !== 'accepted') {
    if (exchange.reception === 'refused')
      first.blame(...(await causeOfRefusal(world, exchange, send.notification.payload)));
    return say('run.firstNotAccepted');
  }
  if (world.hasEffects && (await isFlapping(world))) {
    const found = yield { id: 'processes', sends: [], found: [['run.flapping', {}]] };
    found.blame('severalProcesses');
    return say('run.severalProcesses');
  }
  if (first.types.includes('missing')) {
    if (exchange.failedFirst !== undefined) first.blame('recordsBeforeWork');
    else if (await readsForm(world)) first.blame('readsForm');
    const how = say(world.shop === undefined ? 'run.notBookedHow' : 'run.notBookedHowShop');
    return first.cause === undefined ? `${say('run.firstNotBooked')} ${how}` : say('run.firstNotBooked');
  }
  if (first.types.includes('doubled')) {
    first.blame('booksTwice');
    return say('run.everythingTwice');
  }
  if (first.only('amount') && first.rows[0]?.got === FIRST * 100) {
    first.blame('inCents');
    return say('run.inCents');
  }
  const again = { ...send, what: say('sent.again') };
  const twice = yield { id: 'again', sends: [again, again] };
  if (twice.only('again', 'unexpected')) return yield* whichProcesses(world, twice, again);
  return sale;
}

/** Shows a sandbox that does not work before anything is sent. */
async function firstSale({ sales, sandbox }: World): Promise<Sale> {
  try {
    const sale = await sales.sale({ amount: FIRST });
    // A later step asks this, which an older sandbox does not know.
    await sandbox?.callsAbout(sale.uuid);
    return sale;
  } catch (error) {
    if (!(error instanceof CliFailure) || sandbox === undefined) throw error;
    throw new CliFailure(2, say('begin.sandbox', { message: error.message }));
  }
}

/** @throws `CliFailure` with exit code 2 if no listener of this scheme is there */
async function endIfNobodyListens({ url }: World, { error = '' }: Exchange): Promise<void> {
  const key: TextKey | undefined = UNTRUSTED.test(error)
    ? 'begin.certificate'
    : WRONG_SCHEME.test(error) || (await speaksTls(url))
      ? 'begin.protocol'
      : error === 'ECONNRESET' || error === 'connection closed'
        ? undefined
        : 'begin.nobody';
  if (key !== undefined) throw new CliFailure(2, say(key, { code: error }));
}

/** Whether TLS answers where plain http was spoken. */
function speaksTls(url: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:') return Promise.resolve(false);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const servername = isLoopback(hostname) ? 'localhost' : host;
    const socket = connect({
      host,
      port: Number(port || 80),
      servername,
      rejectUnauthorized: false,
      timeout: 2_000,
    });
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.on('secureConnect', () => end(true));
    for (const event of ['error', 'timeout', 'close']) socket.on(event, () => end(false));
  });
}

/** Whether rows come and go although nothing is sent: each process answers with its own. */
async function isFlapping({ readRows }: World): Promise<boolean> {
  const reads: string[] = [];
  for (let number = 0; number < 6; number++) reads.push(JSON.stringify(await readRows()));
  const changes = reads.filter((rows, index) => index > 0 && rows !== reads[index - 1]);
  // What is only late changes once, and stays.
  return changes.length > 1 && changes.some((rows) => reads.indexOf(rows) < reads.lastIndexOf(rows) - 1);
}

/** What a payment that comes again and again is booked by: it has no key, or one that does not last, or several memories. */
async function* whichProcesses({ sales }: World, twice: Outcome, again: Send): Script<string> {
  const booked = async function* (send: Send): Script<number> {
    await sleep(LATE_MS);
    const { rows } = yield {
      id: 'again',
      sends: Array.from({ length: MOST_PROCESSES }, () => send),
      isProbe: true,
    };
    return rows.length;
  };
  if ((yield* booked(again)) === MOST_PROCESSES) {
    twice.blame('noKey');
    return say('run.everythingAgain');
  }
  // Each process books this payment once more, and then all know it. A key that comes late is there by now, and one that
  // lasts for a moment is gone each time.
  const { payment } = await sales.sale();
  yield { ...books('again', { ...again, notification: payment }), isProbe: true };
  const [once, thrice] = [
    yield* booked({ ...again, notification: payment }),
    yield* booked({ ...again, notification: payment }),
  ];
  if (thrice > 0) twice.blame('forgets');
  else twice.blame(once > 0 ? 'severalProcesses' : 'lateKey');
  return say(once > 0 && thrice === 0 ? 'run.severalProcesses' : 'run.everythingAgain');
}

/** Longer than a key takes that is recorded after the answer. */
const LATE_MS = 700;

const causeOfStatus: Readonly<Record<number, CauseId>> = {
  401: 'pair',
  403: 'pair',
  415: 'mediaType',
  429: 'rateLimit',
};

/** Whether a payment is booked that comes as a form. */
async function readsForm({ sales, sender, readRows, hasEffects }: World): Promise<boolean> {
  if (!hasEffects) return false;
  const { payment } = await sales.sale();
  const fields = Object.entries(payment.payload).filter(([, value]) => typeof value !== 'object');
  const contentType = 'application/x-www-form-urlencoded';
  await sender.probe(new URLSearchParams(fields).toString(), '', { contentType });
  // The first payment may come late, so that only a row of this one tells.
  const { subjects } = bookingOf(payment);
  return (await readRows()).some(({ subject = '' }) => subjects.includes(subject));
}

/** Sends bodies that differ from the payment in one thing each. */
async function causeOfRefusal(world: World, exchange: Exchange, payload: object): Promise<[CauseId]> {
  const { httpStatus = 0, text } = exchange;
  const { sender, sandbox, shop } = world;
  const body = JSON.stringify(payload);
  const isTaken = async (...probe: Parameters<typeof sender.probe>) =>
    (await sender.probe(...probe)).reception === 'accepted';
  if (isRedirect(exchange)) return ['redirects'];
  if (
    (httpStatus === 401 || httpStatus === 403) &&
    (await isTaken(body, '', { headerName: 'authorization' }))
  )
    return ['headerCase'];
  const known = causeOfStatus[httpStatus];
  if (known !== undefined) return [known];
  if ((httpStatus === 404 || httpStatus === 405) && (await isTaken(body, 'type=payment')))
    return ['needsQuery'];
  if (await readsForm(world)) return ['readsForm'];
  const parsesTwice =
    text.includes('[object Object]') ||
    ((await isTaken(JSON.stringify(body))) && !(await isTaken(JSON.stringify('no JSON inside'))));
  if (parsesTwice) return ['parsesTwice'];
  // A body without fields of any kind is accepted by whoever looks at payments alone.
  if (await isTaken(JSON.stringify({ event: 'sandbox.made-up' }))) {
    if (httpStatus === 400 || httpStatus === 422) return ['invalid'];
    return [sandbox === undefined ? 'madeUpSale' : shop === undefined ? 'unknownOrder' : 'refusesPayment'];
  }
  if (httpStatus > 500) return ['everything'];
  if (httpStatus === 500) return ['body'];
  return [httpStatus === 404 || httpStatus === 405 ? 'path' : 'refusesEverything'];
}
