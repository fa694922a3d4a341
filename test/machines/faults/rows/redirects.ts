import { undecided } from '../expectations';
import { type Exchange, type Fault, message, say } from '../fault';

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
    (status): Fault => ({
      name: `${status} to another host`,
      respond: redirect(status, otherHost),
      inspect: showsNothingOf('steal'),
      expected: undecided(status),
    }),
  ),
  {
    name: '307 to the same host',
    respond: redirect(307, ({ server }) => `http://127.0.0.1:${server.port}/elsewhere`),
    expected: undecided(307),
  },
  { name: '308 to a relative path', respond: redirect(308, () => '/elsewhere'), expected: undecided(308) },
  {
    name: '307 to itself, a loop',
    respond: redirect(307, ({ operation }) => operation.path),
    expected: undecided(307),
  },
  { name: '302 to a file', respond: redirect(302, () => 'file:///etc/passwd'), expected: undecided(302) },
  {
    name: '302 to a data: URL',
    respond: redirect(302, () => 'data:application/json,{"status":0}'),
    expected: undecided(302),
  },
  { name: '302 to an invalid URL', respond: redirect(302, () => 'http://[::1'), expected: undecided(302) },
  { name: '302 with an empty Location', respond: redirect(302, () => ''), expected: undecided(302) },
  {
    name: '301 without a Location',
    respond: say(message('301 Moved Permanently')),
    expected: undecided(301),
  },
  {
    name: '307 with two Locations',
    respond: say(message('307 Elsewhere', '', ['location: /a', 'location: /b'])),
    expected: undecided(307),
  },
  {
    name: '307 to a URL with a password',
    respond: redirect(307, ({ server }) => `http://user:hunter2@localhost:${server.port}/`),
    inspect: showsNothingOf('hunter2'),
    expected: undecided(307),
  },
  {
    name: '302 to a URL with the credentials in its query',
    respond: redirect(302, ({ server, head }) => {
      const sent = /^x-api-token: (.+)$/im.exec(head)?.[1];
      return `http://localhost:${server.port}/?token=${sent}`;
    }),
    expected: undecided(302),
  },
];
