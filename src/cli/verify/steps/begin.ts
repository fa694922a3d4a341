import { connect } from 'node:tls';
import { isLoopback } from '../../../client/base-url';
import { CliFailure } from '../../failure';
import { line } from '../../visible';
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
  const send = { what: 'a payment', notification: sale.payment };
  const first = yield { ...books('first', send), byAnswers: true };
  const [exchange] = first.exchanges;
  if (exchange === undefined) return 'the first payment was not accepted, so nothing else could be judged.';
  if (exchange.reception === 'gone' || exchange.reception === 'broken')
    await endIfNobodyListens(world, exchange);
  if (exchange.reception !== 'accepted')
    return 'the first payment was not accepted, so nothing else could be judged.';
  if (first.types.includes('missing'))
    return 'the first payment was accepted and no row came, so nothing else could be judged.';
  const again = { ...send, what: 'once more' };
  yield { id: 'again', sends: [again, again] };
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
    throw new CliFailure(
      2,
      line`The sandbox could not make a paid sale: ${error.message} Is it running, quick enough, and of the same version as this command?`,
    );
  }
}

/** @throws `CliFailure` with exit code 2 if no listener of this scheme is there */
async function endIfNobodyListens({ url }: World, { error = '' }: Exchange): Promise<void> {
  if (UNTRUSTED.test(error))
    throw new CliFailure(
      2,
      line`The certificate of the listener is not trusted (${error}: expired, self-signed, of another host name, or without its chain), and the service may refuse it too. For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS.`,
    );
  if (WRONG_SCHEME.test(error) || (await speaksTls(url)))
    throw new CliFailure(
      2,
      line`One side speaks plain http and the other https (${error}): change the scheme in the URL of the listener, or its port.`,
    );
  if (error !== 'ECONNRESET' && error !== 'connection closed')
    throw new CliFailure(
      2,
      line`Nothing listens at the URL of the listener (${error}). Start the listener, and check host and port.`,
    );
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
