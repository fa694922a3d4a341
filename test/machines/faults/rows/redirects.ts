import { undecided } from '../expectations';
import { type Exchange, type Fault, message, row, say } from '../fault';

const redirect =
  (status: number, location: (exchange: Exchange) => string) =>
  (exchange: Exchange): unknown =>
    exchange.write(message(`${status} Elsewhere`, '', [`location: ${location(exchange)}`]));

// Another name of the same server, which would count a followed redirect as a request too many.
const otherHost = ({ server }: Exchange) => `http://localhost:${server.port}/steal`;

const showsNothingOf = (secret: string) => (error: Error) =>
  error.message.includes(secret) ? `the message shows ${secret}` : undefined;

/** A redirect is never followed, wherever it leads: the credentials would go with it. */
export const redirectFaults: readonly Fault[] = [
  ...[300, 301, 302, 303, 305, 306, 307, 308, 399].map(
    (status): Fault =>
      row(
        `${status} to another host`,
        undecided(status),
        { inspect: showsNothingOf('steal') },
        redirect(status, otherHost),
      ),
  ),
  row(
    '307 to the same host',
    undecided(307),
    redirect(307, ({ server }) => `http://127.0.0.1:${server.port}/elsewhere`),
  ),
  row(
    '308 to a relative path',
    undecided(308),
    redirect(308, () => '/elsewhere'),
  ),
  row(
    '307 to itself, a loop',
    undecided(307),
    redirect(307, ({ operation }) => operation.path),
  ),
  row(
    '302 to a file',
    undecided(302),
    redirect(302, () => 'file:///etc/passwd'),
  ),
  row(
    '302 to a data: URL',
    undecided(302),
    redirect(302, () => 'data:application/json,{"status":0}'),
  ),
  row(
    '302 to an invalid URL',
    undecided(302),
    redirect(302, () => 'http://[::1'),
  ),
  row(
    '302 with an empty Location',
    undecided(302),
    redirect(302, () => ''),
  ),
  row('301 without a Location', undecided(301), say(message('301 Moved Permanently'))),
  row(
    '307 with two Locations',
    undecided(307),
    say(message('307 Elsewhere', '', ['location: /a', 'location: /b'])),
  ),
  row(
    '307 to a URL with a password',
    undecided(307),
    { inspect: showsNothingOf('hunter2') },
    redirect(307, ({ server }) => `http://user:hunter2@localhost:${server.port}/`),
  ),
  row(
    '302 to a URL with the credentials in its query',
    undecided(302),
    redirect(302, ({ server, head }) => {
      const sent = /^x-api-token: (.+)$/im.exec(head)?.[1];
      return `http://localhost:${server.port}/?token=${sent}`;
    }),
  ),
];
