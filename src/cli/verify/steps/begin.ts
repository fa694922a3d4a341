import { connect } from 'node:tls';
import { isLoopback } from '../../../client/base-url';
import { CliFailure } from '../../failure';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import { UNTRUSTED, WRONG_SCHEME } from '../effects';
import type { Sale } from '../sales';
import type { Exchange } from '../send';
import { books } from '../step';
import type { Script, World } from '../world';

/** A round amount: what a listener does about cents is a step of its own. */
const FIRST = 25;

/** What a run begins with: one payment, which comes again. Without it, no other step can say anything. */
export async function* begin(world: World): Script<Sale | string> {
  const sale = await firstSale(world);
  const send = { what: say('sent.payment'), notification: sale.payment };
  const first = yield { ...books('first', send), byAnswers: true };
  const [exchange] = first.exchanges;
  if (exchange === undefined) return say('run.firstNotAccepted');
  if (exchange.reception === 'gone' || exchange.reception === 'broken')
    await endIfNobodyListens(world, exchange);
  if (exchange.reception !== 'accepted') return say('run.firstNotAccepted');
  if (first.types.includes('missing'))
    return `${say('run.firstNotBooked')} ${say(world.shop === undefined ? 'run.notBookedHow' : 'run.notBookedHowShop')}`;
  if (first.types.includes('doubled')) return say('run.everythingTwice');
  if (first.only('amount') && first.rows[0]?.got === FIRST * 100) return say('run.inCents');
  const again = { ...send, what: say('sent.again') };
  const twice = yield { id: 'again', sends: [again, again] };
  return twice.only('again', 'unexpected') ? say('run.everythingAgain') : sale;
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
