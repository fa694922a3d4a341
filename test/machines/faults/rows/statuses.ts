import {
  apiError,
  connectionFailed,
  every,
  invalidResponse,
  passing,
  readAndWrite,
  refused,
  success,
  undecided,
  unusable,
} from '../expectations';
import { type Fault, message, row, say } from '../fault';

const passed = new Date(Date.now() - 60_000).toUTCString();
const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();

// Sun Nov  6 08:49:37 1994
const [weekday, day, month, year, time] = inAnHour.replace(',', '').split(' ');
const inAnHourAsctime = `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;

/** 429 means that nothing was done, so every operation is retried, unless Retry-After exceeds the deadline. */
const tooMany = every(apiError(429, 'refused', 3));

/** Lacks what each operation needs: the uuid, the QR code or the status. */
const nothingButWrongFields = JSON.stringify({
  status: 'x',
  uuid: 1,
  response: { instructions: { steps: { qrCode: Array(200_000).fill(0) } } },
  refunds: { transactions: Array(200_000).fill(0) },
});

const waitsFor = (least: number) => (error: Record<string, unknown>) =>
  Number(error['retryAfterMs']) >= least ? undefined : `retryAfterMs is ${error['retryAfterMs']}`;

/** A 429 with an invalid `Retry-After`, which is ignored. */
const meaningless = (value: string): Fault =>
  row(
    `429 with Retry-After: ${value === '' ? '(empty)' : value}`,
    tooMany,
    say(message('429 Too Many Requests', '', [`retry-after: ${value}`])),
  );

/** A 429 with these header lines, and then the answer. */
const waitsOnce = (name: string, notBefore: number, ...lines: string[]): Fault =>
  row(`429 with ${name}`, every(success(2)), { notBefore, lasting: true }, ({ count, write, answer }) =>
    write(count === 1 ? message('429 Too Many Requests', '', lines) : message('200 OK', answer)),
  );

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
  row('429', tooMany, say(message('429 Too Many Requests'))),
  ...['-1', '1e3', '', 'soon', '0x10', 'NaN', '.5', '2099-01-01'].map(meaningless),
  row(
    '429 with Retry-After in the past',
    tooMany,
    say(message('429 Too Many Requests', '', [`retry-after: ${passed}`])),
  ),
  waitsOnce('Retry-After: 1', 990, 'retry-after: 1'),
  waitsOnce('white space around Retry-After', 990, 'retry-after: \t 1 \t'),
  waitsOnce('a fraction in Retry-After', 1_490, 'retry-after: 1.5'),
  waitsOnce('two Retry-After, the longer one first', 1_490, 'retry-after: 1.5', 'retry-after: 0'),
  waitsOnce('two Retry-After, the longer one last', 1_490, 'retry-after: 0', 'retry-after: 1.5'),
  // Beyond the deadline: fails at once, and says how long to wait.
  row(
    '429 with a date in an hour',
    every(apiError(429, 'refused')),
    { inspect: waitsFor(3_000_000) },
    say(message('429 Too Many Requests', '', [`retry-after: ${inAnHour}`])),
  ),
  ...Object.entries({
    'a date in the form of asctime': [inAnHourAsctime],
    'a number and a date': ['0', inAnHour],
  }).map(
    ([name, values]): Fault =>
      row(
        `429 with ${name}`,
        every(apiError(429, 'refused')),
        { inspect: waitsFor(3_000_000) },
        say(
          message(
            '429 Too Many Requests',
            '',
            values.map((value) => `retry-after: ${value}`),
          ),
        ),
      ),
  ),
  row(
    '429 with a huge Retry-After',
    every(apiError(429, 'refused')),
    { inspect: waitsFor(1e12) },
    say(message('429 Too Many Requests', '', [`retry-after: ${'9'.repeat(400)}`])),
  ),
  row(
    '503 with Retry-After beyond the deadline',
    undecided(503),
    { inspect: waitsFor(120_000) },
    say(message('503 Service Unavailable', '', ['retry-after: 120'])),
  ),
  row(
    '503, then 404: the error reports the worst outcome',
    readAndWrite({ ...apiError(404, 'unknown', 2) }, apiError(503, 'unknown')),
    { lasting: true },
    ({ count, write }) => write(message(count === 1 ? '503 No' : '404 No')),
  ),
  // The fetch standard (HTTP-network-or-cache fetch) sends again over a new connection, once per attempt. It does
  // not for a POST or PUT, whose body is a stream that can be sent only once.
  row(
    '421, on which fetch itself sends again over another connection',
    readAndWrite({ ...apiError(421, 'refused'), requests: 2 }, apiError(421, 'refused')),
    say(message('421 Misdirected Request')),
  ),
  row(
    '429, then a lost connection: the error reports the worst outcome',
    readAndWrite(connectionFailed('unknown', 3), connectionFailed('unknown', 2)),
    { lasting: true },
    ({ count, write, socket }) => (count === 1 ? write(message('429 Too Many Requests')) : socket.destroy()),
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
  row('205', unusable, say('HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n')),
  row('206 with a part', unusable, ({ write, answer }) =>
    write(message('206 Partial Content', answer.slice(0, -20), ['content-range: bytes 0-19/99'])),
  ),
  // A 3xx is never followed and never retried.
  row('304', undecided(304), say('HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n')),
];
