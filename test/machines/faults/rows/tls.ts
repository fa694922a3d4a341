import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority, createSelfSigned, type TestAuthority } from '../../../helpers/certificates';
import {
  connectionFailed,
  every,
  hopeless,
  lost,
  neverSent,
  reaching,
  stalled,
  survived,
  undecided,
  unusable,
} from '../expectations';
import { BRIEFLY, type Fault, message, row } from '../fault';

/** Faults of TLS. The client trusts `authority`. */
export async function tlsFaults(authority: TestAuthority): Promise<Fault[]> {
  const good = await authority.issue();
  const stranger = await createAuthority('Nobody in particular');

  return [
    row('valid TLS', survived, { tls: good }),
    ...Object.entries({
      'for another host': await authority.issue({ names: ['service.example'] }),
      'that has expired': await authority.issue({ validFrom: -30, validUntil: -1 }),
      'that is not valid yet': await authority.issue({ validFrom: 1, validUntil: 30 }),
      'that is self-signed': await createSelfSigned(),
      'of an unknown authority': await stranger.issue(),
    }).map(([kind, certificate]): Fault => row(`certificate ${kind}`, hopeless, { tls: certificate })),

    // From here on TLS fails for other reasons. Their codes may also come after the handshake, so the outcome must be
    // unknown where the error does not say when it happened.
    row('plain HTTP where TLS is expected', every(connectionFailed('unknown', 1, 0)), {
      url: ({ port }) => `https://127.0.0.1:${port}`,
      onConnection: (socket) => {
        socket.once('data', () => socket.end(message('400 Bad Request')));
        return false;
      },
      lasting: true,
    }),
    row('TLS handshake that is never answered', reaching(0, stalled), {
      url: ({ port }) => `https://127.0.0.1:${port}`,
      onConnection: () => false,
      client: BRIEFLY,
      lasting: true,
    }),
    row('TLS handshake that is cut', neverSent, {
      url: ({ port }) => `https://127.0.0.1:${port}`,
      onConnection: (socket) => {
        socket.once('data', () => socket.destroy());
        return false;
      },
      lasting: true,
    }),
    row('TLS handshake that is reset', reaching(0, lost), {
      url: ({ port }) => `https://127.0.0.1:${port}`,
      onConnection: (socket) => {
        socket.once('data', () => socket.resetAndDestroy());
        return false;
      },
      lasting: true,
    }),
    row(
      'TLS cut in the middle of a body of known length',
      lost,
      { tls: good },
      async ({ socket, write, answer }) => {
        write(message('200 OK', answer).subarray(0, -5));
        await sleep(20);
        socket.destroy();
      },
    ),
    // The cut looks like the end of the body, because the platform accepts an end without a TLS close_notify. JSON
    // that breaks off is invalid, so it is never taken for a whole response.
    row(
      'TLS cut in the middle of a body that ends with the connection',
      unusable,
      { tls: good },
      async ({ socket, write, answer }) => {
        write(`HTTP/1.1 200 OK\r\n\r\n${answer.slice(0, -5)}`);
        await sleep(20);
        socket.destroy();
      },
    ),
    row('307 from https to http', undecided(307), { tls: good }, ({ write, server }) =>
      write(message('307 Elsewhere', '', [`location: http://127.0.0.1:${server.port}/plain`])),
    ),
  ];
}
