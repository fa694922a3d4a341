import {
  apiError,
  every,
  invalidResponse,
  passing,
  readAndWrite,
  refused,
  success,
  undecided,
  unusable,
} from '../expectations';
import { type Exchange, type Fault, message, row, say } from '../fault';

/** Lacks what each operation needs: the uuid, the QR code or the status. */
const nothingButWrongFields = JSON.stringify({
  status: 'x',
  uuid: 1,
  response: { instructions: { steps: { qrCode: Array(200_000).fill(0) } } },
  refunds: { transactions: Array(200_000).fill(0) },
});

/** The credentials would go with a redirect that is followed, which the server would count as a request too many. */
const redirect =
  (status: number, host: string) =>
  ({ server, operation, write }: Exchange): unknown =>
    write(message(`${status} Elsewhere`, '', [`location: http://${host}:${server.port}${operation.path}`]));

/** Whole responses that are not the documented answer with status 200. */
export const statusFaults: readonly Fault[] = [
  ...[400, 401, 403, 404, 409, 410, 413, 422, 426, 431, 451].map(
    (status): Fault =>
      row(`${status}`, refused(status), say(message(`${status} No`, '{"status":-1,"message":"no"}'))),
  ),
  ...[408, 500, 502, 503, 504].map(
    (status): Fault => row(`${status}`, passing(status), say(message(`${status} No`, '<h1>Error</h1>'))),
  ),
  // nginx's status for a caller that has gone. The service behind nginx may still be working.
  row('499', undecided(499), say(message('499 No', '{"status":-1,"message":"no"}'))),
  // GET is retried after 408, 429, 500, 502, 503 and 504. None of these is among them, and none is a refusal.
  ...[501, 505, 511, 599, 600, 999].map(
    (status): Fault => row(`${status}`, undecided(status), say(message(`${status} No`))),
  ),
  // Nothing was done, so every operation is retried, unless Retry-After exceeds the deadline.
  row('429', every(apiError(429, 'refused', 3)), say(message('429 Too Many Requests'))),
  row(
    '429 with Retry-After: 1',
    every(success(2)),
    { notBefore: 990, lasting: true },
    ({ count, write, answer }) =>
      write(
        count === 1 ? message('429 Too Many Requests', '', ['retry-after: 1']) : message('200 OK', answer),
      ),
  ),
  // Beyond the deadline: fails at once.
  row(
    '429 with Retry-After: 3600',
    every(apiError(429, 'refused')),
    say(message('429 Too Many Requests', '', ['retry-after: 3600'])),
  ),
  // The fetch standard (HTTP-network-or-cache fetch) sends again over a new connection, once per attempt. It does
  // not for a POST or PUT, whose body is a stream that can be sent only once.
  row(
    '421, on which fetch itself sends again over another connection',
    readAndWrite({ ...apiError(421, 'refused'), requests: 2 }, apiError(421, 'refused')),
    say(message('421 Misdirected Request')),
  ),
  // The unusable success must not look like the 429 before it, after which every operation is retried.
  row(
    '429, then a 200 with 200,000 fields of a wrong type and without its essential fields',
    every({ ...invalidResponse, attempts: 2, requests: 2 }),
    { client: { maxResponseBytes: 2_000_000 }, lasting: true },
    ({ count, write }) =>
      write(count === 1 ? message('429 Too Many Requests') : message('200 OK', nothingButWrongFields)),
  ),
  row('201 with the answer', every(success()), ({ write, answer }) => write(message('201 Created', answer))),
  row('202 with nothing', unusable, say(message('202 Accepted'))),
  // Recognized by the error, which on Node has no message (fetch standard, HTTP-network-or-cache fetch).
  row(
    '407, which fetch itself turns into a network error',
    refused(407),
    say(message('407 Proxy Authentication Required', '', ['proxy-authenticate: Basic realm="x"'])),
  ),
  row('204', unusable, say('HTTP/1.1 204 No Content\r\n\r\n')),
  // A 3xx is never followed and never retried.
  ...[300, 301, 302, 303, 305, 306, 307, 308, 399].map((status) =>
    row(`${status} to another host`, undecided(status), redirect(status, 'localhost')),
  ),
];
