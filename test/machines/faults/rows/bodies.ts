import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  apiError,
  every,
  invalidResponse,
  lost,
  passing,
  refused,
  stalled,
  survived,
  unusable,
} from '../expectations';
import { BRIEFLY, body, type Exchange, type Fault, message, repeat, row, say, sayAndClose } from '../fault';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

const chunk = (content: string | Uint8Array) => {
  const bytes = Buffer.from(content);
  const [before, after] = [`${bytes.byteLength.toString(16)}\r\n`, '\r\n'].map((text) => Buffer.from(text));
  return Buffer.concat([before as Buffer, bytes, after as Buffer]);
};

/** The documented answer in gzip, changed on its way. */
const zipped =
  (change: (bytes: Buffer) => Uint8Array) =>
  ({ write, answer }: Exchange) =>
    write(message('200 OK', change(gzipSync(answer)), ['content-encoding: gzip']));

/** The documented answer, with these fields put in front. */
const withFields =
  (fields: string) =>
  ({ write, answer }: Exchange) =>
    write(message('200 OK', answer.replace('{', `{${fields},`)));

/** Accepts the documented answer with extra fields, if these are right. */
const alsoHas =
  (isRight: (extra: Record<string, unknown>) => boolean) => (result: unknown, answer: object) => {
    const got = result as Record<string, unknown>;
    const documented = Object.fromEntries(Object.keys(answer).map((key) => [key, got[key]]));
    return isDeepStrictEqual(documented, answer) && isRight(got);
  };

/** The JSON without characters beyond ASCII, which a wrong charset changes. */
const ascii = (value: unknown) => JSON.stringify(value).replace(/[^\x20-\x7e]+/g, '');

/** Lacks what each operation needs: the uuid, the QR code or the status. */
const nothingButWrongFields = JSON.stringify({
  status: 'x',
  uuid: 1,
  response: { instructions: { steps: { qrCode: Array(200_000).fill(0) } } },
  refunds: { transactions: Array(200_000).fill(0) },
});

/** Faults in the framing and encoding of a body; test/client has its JSON, in transport-answers and -mutated, and every status in retry and transport-mutated. */
export const bodyFaults: readonly Fault[] = [
  row('NUL bytes', unusable, body(Buffer.alloc(64))),
  row('a key twice, the last one bad', every(apiError(200, 'unknown')), ({ answer }) =>
    answer.replace(/\}$/, ',"status":-1}'),
  ),
  row('a key twice, the last one good', survived, withFields('"status":-1,"message":"no"')),
  row(
    '__proto__ and constructor as keys',
    survived,
    {
      accepts: (result, answer) =>
        Reflect.get({}, 'polluted') === undefined &&
        Reflect.get(result as object, 'polluted') === undefined &&
        Object.keys(answer).every((key) => Object.hasOwn(result as object, key)),
    },
    withFields('"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'),
  ),
  row('a byte order mark', survived, ({ answer }) => `\ufeff${answer}`),
  // The declared charset is used. Money and identifiers are ASCII, so they are read correctly anyway.
  row(
    'UTF-8 declared as Latin-1',
    survived,
    { accepts: (result, answer) => ascii(result) === ascii(answer) },
    ({ write, answer }) =>
      write(
        Buffer.from(
          message('200 OK', answer).toString().replace('application/json', 'text/plain; charset=iso-8859-1'),
        ),
      ),
  ),
  // JSON is UTF-8, whatever the service declares.
  row(
    'UTF-8 declared as Latin-1',
    survived,
    { accepts: alsoHas(({ novel }) => novel === 'é') },
    ({ write, answer }) => {
      const bytes = Buffer.from(answer.replace('{', '{"novel":"é",'));
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=ISO-8859-1\r\n`;
      write(Buffer.concat([Buffer.from(`${head}content-length: ${bytes.byteLength}\r\n\r\n`), bytes]));
    },
  ),
  row('UTF-16', unusable, ({ write, answer }) =>
    write(message('200 OK', Buffer.from(`\ufeff${answer}`, 'utf16le'), ['content-language: pt-BR'])),
  ),
  row(
    'a character cut by a chunk',
    survived,
    { accepts: alsoHas(({ novel }) => novel === 'é') },
    async ({ write, answer }) => {
      const bytes = Buffer.from(answer.replace('{', '{"novel":"é",'));
      const cut = bytes.indexOf(0xc3) + 1;
      write(CHUNKED);
      write(chunk(bytes.subarray(0, cut)));
      await new Promise((resolve) => setTimeout(resolve, 20));
      write(chunk(bytes.subarray(cut)));
      write('0\r\n\r\n');
    },
  ),

  row('body that stalls', stalled, { client: BRIEFLY }, say(`${OK}content-length: 1000\r\n\r\n{"status":0,`)),
  row('body that drips', stalled, { client: BRIEFLY }, ({ socket, write }) => {
    write(CHUNKED);
    repeat(socket, () => chunk(' '), 10);
  }),
  row('body that drips as compressed bytes', stalled, { client: BRIEFLY }, ({ socket, write }) => {
    const bytes = gzipSync(Buffer.from(' '.repeat(1_000)));
    write(`${OK}content-encoding: gzip\r\ncontent-length: ${bytes.byteLength + 1_000}\r\n\r\n`);
    let at = 0;
    repeat(socket, () => bytes.subarray(at, ++at), 10);
  }),
  // The status decides, and it has come.
  row(
    'refusal whose body stalls',
    refused(403),
    { client: BRIEFLY },
    say('HTTP/1.1 403 Forbidden\r\ncontent-length: 1000\r\n\r\n{"status":'),
  ),
  row('503 whose body drips', passing(503), { client: BRIEFLY }, ({ socket, write }) => {
    write('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n');
    repeat(socket, () => chunk(' '), 10);
  }),
  row(
    'refusal whose body breaks off',
    refused(409),
    sayAndClose('HTTP/1.1 409 Conflict\r\ncontent-length: 1000\r\n\r\n{"status":'),
  ),
  row('endless body', unusable, ({ socket, write }) => {
    write(CHUNKED);
    repeat(socket, () => chunk('x'.repeat(4_000)));
  }),
  row('refusal with an endless body', refused(403), ({ socket, write }) => {
    write('HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n');
    repeat(socket, () => chunk('x'.repeat(4_000)));
  }),
  row(
    'Content-Length smaller than the body',
    unusable,
    say(`${OK}content-length: 5\r\n\r\n{"status":0,"message":"success"}`),
  ),
  row('chunk size that is not a number', lost, say(`${CHUNKED}zz\r\n{"status":0}\r\n0\r\n\r\n`)),
  row('plain JSON declared as gzip', lost, body('{"status":0}', ['content-encoding: gzip'])),
  // The platform returns as much as it could decompress, and JSON that breaks off is invalid.
  row(
    'gzip that breaks off',
    unusable,
    zipped((bytes) => bytes.subarray(0, -12)),
  ),
  row(
    'gzip with a wrong checksum',
    lost,
    zipped((bytes) => bytes.fill(0xde, bytes.length - 8, bytes.length - 4)),
  ),
  row(
    'gzip bomb',
    unusable,
    say(message('200 OK', gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')), ['content-encoding: gzip'])),
  ),
  row('unknown content-encoding', unusable, ({ write, answer }) =>
    write(
      message(
        '200 OK',
        Buffer.from(answer).map((byte) => byte ^ 0x5a),
        ['content-encoding: x-secret'],
      ),
    ),
  ),
  row(
    'body of one byte more than maxResponseBytes',
    every(invalidResponse),
    body(`{"status":0,"novel":"${'x'.repeat(100_000 - 22)}"}`),
  ),
  // The unusable success must not look like the 429 before it, after which every operation is retried.
  row(
    '429, then a 200 with 200,000 fields of a wrong type and without its essential fields',
    every({ ...invalidResponse, attempts: 2, requests: 2 }),
    { client: { maxResponseBytes: 2_000_000 }, lasting: true },
    ({ count, write }) =>
      write(count === 1 ? message('429 Too Many Requests') : message('200 OK', nothingButWrongFields)),
  ),
];
