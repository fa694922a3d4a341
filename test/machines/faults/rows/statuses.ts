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
import { type Fault, message, say } from '../fault';

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
const meaningless = (value: string): Fault => ({
  name: `429 with Retry-After: ${value === '' ? '(empty)' : value}`,
  respond: say(message('429 Too Many Requests', '', [`retry-after: ${value}`])),
  expected: tooMany,
});

/** A 429 with these header lines, and then the answer. */
const waitsOnce = (name: string, notBefore: number, ...lines: string[]): Fault => ({
  name: `429 with ${name}`,
  respond: ({ count, write, answer }) =>
    write(count === 1 ? message('429 Too Many Requests', '', lines) : message('200 OK', answer)),
  notBefore,
  expected: every(success(2)),
  lasting: true,
});

/** Whole responses that are not the documented answer with status 200. */
export const statusFaults: readonly Fault[] = [
  ...[400, 401, 403, 404, 409, 410, 413, 422, 426, 431, 451].map(
    (status): Fault => ({
      name: `${status}`,
      respond: say(message(`${status} No`, '{"status":-1,"message":"no"}')),
      expected: refused(status),
    }),
  ),
  ...[408, 500, 502, 503, 504].map(
    (status): Fault => ({
      name: `${status}`,
      respond: say(message(`${status} No`, '<h1>Error</h1>')),
      expected: passing(status),
    }),
  ),
  {
    // nginx's status for a caller that has gone. The service behind nginx may still be working.
    name: '499',
    respond: say(message('499 No', '{"status":-1,"message":"no"}')),
    expected: undecided(499),
  },
  // GET is retried after 408, 429, 500, 502, 503 and 504. None of these is among them, and none is a refusal.
  ...[501, 505, 511, 599, 600, 999].map(
    (status): Fault => ({
      name: `${status}`,
      respond: say(message(`${status} No`)),
      expected: undecided(status),
    }),
  ),
  { name: '429', respond: say(message('429 Too Many Requests')), expected: tooMany },
  ...['-1', '1e3', '', 'soon', '0x10', 'NaN', '.5', '2099-01-01'].map(meaningless),
  {
    name: '429 with Retry-After in the past',
    respond: say(message('429 Too Many Requests', '', [`retry-after: ${passed}`])),
    expected: tooMany,
  },
  waitsOnce('Retry-After: 1', 990, 'retry-after: 1'),
  waitsOnce('white space around Retry-After', 990, 'retry-after: \t 1 \t'),
  waitsOnce('a fraction in Retry-After', 1_490, 'retry-after: 1.5'),
  waitsOnce('two Retry-After, the longer one first', 1_490, 'retry-after: 1.5', 'retry-after: 0'),
  waitsOnce('two Retry-After, the longer one last', 1_490, 'retry-after: 0', 'retry-after: 1.5'),
  {
    // Beyond the deadline: fails at once, and says how long to wait.
    name: '429 with a date in an hour',
    respond: say(message('429 Too Many Requests', '', [`retry-after: ${inAnHour}`])),
    inspect: waitsFor(3_000_000),
    expected: every(apiError(429, 'refused')),
  },
  ...Object.entries({
    'a date in the form of asctime': [inAnHourAsctime],
    'a number and a date': ['0', inAnHour],
  }).map(
    ([name, values]): Fault => ({
      name: `429 with ${name}`,
      respond: say(
        message(
          '429 Too Many Requests',
          '',
          values.map((value) => `retry-after: ${value}`),
        ),
      ),
      inspect: waitsFor(3_000_000),
      expected: every(apiError(429, 'refused')),
    }),
  ),
  {
    name: '429 with a huge Retry-After',
    respond: say(message('429 Too Many Requests', '', [`retry-after: ${'9'.repeat(400)}`])),
    inspect: waitsFor(1e12),
    expected: every(apiError(429, 'refused')),
  },
  {
    name: '503 with Retry-After beyond the deadline',
    respond: say(message('503 Service Unavailable', '', ['retry-after: 120'])),
    inspect: waitsFor(120_000),
    expected: undecided(503),
  },
  {
    name: '503, then 404: the error reports the worst outcome',
    respond: ({ count, write }) => write(message(count === 1 ? '503 No' : '404 No')),
    expected: readAndWrite({ ...apiError(404, 'unknown', 2) }, apiError(503, 'unknown')),
    lasting: true,
  },
  {
    name: '421, on which fetch itself sends again over another connection',
    respond: say(message('421 Misdirected Request')),
    // The fetch standard (HTTP-network-or-cache fetch) sends again over a new connection, once per attempt. It does
    // not for a POST or PUT, whose body is a stream that can be sent only once.
    expected: readAndWrite({ ...apiError(421, 'refused'), requests: 2 }, apiError(421, 'refused')),
  },
  {
    name: '429, then a lost connection: the error reports the worst outcome',
    respond: ({ count, write, socket }) =>
      count === 1 ? write(message('429 Too Many Requests')) : socket.destroy(),
    expected: readAndWrite(connectionFailed('unknown', 3), connectionFailed('unknown', 2)),
    lasting: true,
  },
  {
    name: '429, then a 200 with 200,000 fields of a wrong type and without its essential fields',
    respond: ({ count, write }) =>
      write(count === 1 ? message('429 Too Many Requests') : message('200 OK', nothingButWrongFields)),
    client: { maxResponseBytes: 2_000_000 },
    // The unusable success must not look like the 429 before it, after which every operation is retried.
    expected: every({ ...invalidResponse, attempts: 2, requests: 2 }),
    lasting: true,
  },
  {
    name: '201 with the answer',
    respond: ({ write, answer }) => write(message('201 Created', answer)),
    expected: every(success()),
  },
  { name: '202 with nothing', respond: say(message('202 Accepted')), expected: unusable },
  {
    name: '407, which fetch itself turns into a network error',
    respond: say(message('407 Proxy Authentication Required', '', ['proxy-authenticate: Basic realm="x"'])),
    // Recognized by the error, which on Node has no message (fetch standard, HTTP-network-or-cache fetch).
    expected: refused(407),
  },
  { name: '204', respond: say('HTTP/1.1 204 No Content\r\n\r\n'), expected: unusable },
  {
    name: '205',
    respond: say('HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n'),
    expected: unusable,
  },
  {
    name: '206 with a part',
    respond: ({ write, answer }) =>
      write(message('206 Partial Content', answer.slice(0, -20), ['content-range: bytes 0-19/99'])),
    expected: unusable,
  },
  // A 3xx is never followed and never retried.
  { name: '304', respond: say('HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n'), expected: undecided(304) },
];
