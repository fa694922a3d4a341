import { isDeepStrictEqual } from 'node:util';
import { deflateSync, gzipSync } from 'node:zlib';
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

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

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

/** The documented answer without a field of another type than documented, which is left out. */
const withoutField = (name: string) => (result: unknown, answer: object) =>
  isDeepStrictEqual(result, Object.fromEntries(Object.entries(answer).filter(([key]) => key !== name)));

/** The JSON without characters beyond ASCII, which a wrong charset changes. */
const ascii = (value: unknown) => JSON.stringify(value).replace(/[^\x20-\x7e]+/g, '');

const knowsTheJourney = (error: Record<string, unknown>) =>
  error['operation'] === 'createRecurringCheckout' && error['uuid'] !== 'uuid-1'
    ? 'the uuid of the journey is lost'
    : undefined;

/** Faults in the body of a response, and in its framing and encoding. */
export const bodyFaults: readonly Fault[] = [
  row('empty body', unusable, body('')),
  row('white space', unusable, body(' \r\n\t')),
  row('HTML', unusable, body('<!doctype html><h1>Sign in to this network</h1>')),
  row('null', unusable, body('null')),
  row('true', unusable, body('true')),
  row('a number', unusable, body('0')),
  row('a string', unusable, body('"success"')),
  row('an array', unusable, ({ answer }) => `[${answer}]`),
  row('JSON that breaks off', unusable, { inspect: knowsTheJourney }, ({ answer }) => answer.slice(0, -1)),
  row('JSON with something after it', unusable, { inspect: knowsTheJourney }, ({ answer }) => `${answer}}`),
  row('JSON twice', unusable, ({ answer }) => answer + answer),
  row('NUL bytes', unusable, body(Buffer.alloc(64))),
  ...[-1, 999, 1, 0.5, 1e21].map(
    (status): Fault =>
      // The status has no documented meaning, so the outcome is unknown, and not even a query is retried.
      row(
        `200 whose status is ${status}`,
        every(apiError(200, 'unknown')),
        body(JSON.stringify({ status, message: 'no' })),
      ),
  ),
  // A query needs no field, so its wrong status is left out.
  row(
    '200 whose status is text',
    { ...unusable, getTransaction: survived.getTransaction },
    { accepts: (result) => isDeepStrictEqual(result, { message: 'success' }) },
    body('{"status":"0","message":"success"}'),
  ),
  row('a key twice, the last one bad', every(apiError(200, 'unknown')), ({ answer }) =>
    answer.replace(/\}$/, ',"status":-1}'),
  ),
  row('a key twice, the last one good', survived, withFields('"status":-1,"message":"no"')),
  row('a list instead of an optional object', survived, { accepts: withoutField('track') }, ({ answer }) =>
    answer.replace('"track":{}', '"track":[]'),
  ),
  row(
    'a text instead of an optional number',
    survived,
    { accepts: withoutField('appliedRate') },
    ({ answer }) => answer.replace('"appliedRate":0.99', '"appliedRate":"0.99"'),
  ),
  row(
    'a number beyond the safe integers',
    survived,
    { accepts: alsoHas(({ novel }) => novel === 9007199254740992) },
    withFields('"novel":9007199254740993'),
  ),
  row(
    'an id beyond the safe integers',
    survived,
    {
      accepts: (result) =>
        JSON.stringify(result).includes('9007199254740992') || !JSON.stringify(result).includes('"id"'),
    },
    ({ answer }) => answer.replace(/"id":\d+/, '"id":9007199254740993'),
  ),
  row(
    'a number that overflows to infinity, in an unknown field',
    survived,
    { accepts: alsoHas(({ novel }) => novel === Number.POSITIVE_INFINITY) },
    withFields('"novel":1e999'),
  ),
  // Infinity is not an amount of money, so the field is left out.
  row(
    'a number that overflows to infinity, as the amount',
    survived,
    { accepts: (result) => !JSON.stringify(result).includes('"amount"') },
    ({ answer }) => answer.replace('"amount":59.7', '"amount":1e999'),
  ),
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
  row(
    'a refusal with __proto__ in its body',
    refused(400),
    { inspect: (error) => (error['serviceMessage'] === undefined ? undefined : 'the message is inherited') },
    say(message('400 No', '{"__proto__":{"status":0,"message":"polluted"}}')),
  ),
  row(
    'arrays in arrays, 20,000 deep',
    survived,
    { accepts: (result) => Array.isArray((result as Record<string, unknown>)['novel']) },
    withFields(`"novel":${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  ),
  row('objects in objects, 15,000 deep, broken off', unusable, body('{"a":'.repeat(15_000))),
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
  row('an unknown charset', survived, ({ write, answer }) =>
    write(
      Buffer.from(
        message('200 OK', answer).toString().replace('application/json', 'text/plain; charset=x-nothing'),
      ),
    ),
  ),
  // Unreadable bytes become replacement characters. Money and identifiers are ASCII, so they are read correctly.
  row(
    'Latin-1 without a declared charset',
    survived,
    { accepts: (result) => (result as Record<string, unknown>)['novel'] === '\ufffd' },
    ({ answer }) => Buffer.from(answer.replace('{', '{"novel":"é",'), 'latin1'),
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
      write(
        Buffer.concat([
          Buffer.from(`${CHUNKED}${cut.toString(16)}\r\n`),
          bytes.subarray(0, cut),
          Buffer.from('\r\n'),
        ]),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      const rest = bytes.subarray(cut);
      write(
        Buffer.concat([
          Buffer.from(`${rest.byteLength.toString(16)}\r\n`),
          rest,
          Buffer.from('\r\n0\r\n\r\n'),
        ]),
      );
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
  row('endless body until the connection closes', unusable, ({ socket, write }) => {
    write(`${OK}\r\n`);
    repeat(socket, () => 'x'.repeat(4_000));
  }),
  row('refusal with an endless body', refused(403), ({ socket, write }) => {
    write('HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n');
    repeat(socket, () => chunk('x'.repeat(4_000)));
  }),
  // JSON that is whole is a success, whatever its framing says.
  row('Content-Length larger than the body', survived, ({ socket, answer }) =>
    socket.end(`${OK}content-length: ${answer.length + 1_000}\r\n\r\n${answer}`),
  ),
  row(
    'Content-Length smaller than the body',
    unusable,
    say(`${OK}content-length: 5\r\n\r\n{"status":0,"message":"success"}`),
  ),
  row('Content-Length 0 with a body', unusable, ({ write, answer }) =>
    write(`${OK}content-length: 0\r\n\r\n${answer}`),
  ),
  ...['-5', 'many', '5, 6', '1e3', '99999999999999999999999'].map(
    (length): Fault =>
      row(`Content-Length: ${length}`, lost, ({ socket, answer }) =>
        socket.end(`${OK}content-length: ${length}\r\n\r\n${answer}`),
      ),
  ),
  row('two Content-Lengths', lost, ({ socket, answer }) =>
    socket.end(`${OK}content-length: 5\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`),
  ),
  row('Content-Length together with chunks', lost, ({ socket, answer }) =>
    socket.end(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${chunk(answer)}0\r\n\r\n`),
  ),
  row('chunk size that is not a number', lost, say(`${CHUNKED}zz\r\n{"status":0}\r\n0\r\n\r\n`)),
  row('chunk size that overflows', lost, say(`${CHUNKED}fffffffffffffffff\r\n{"status":0}`)),
  row('negative chunk size', lost, say(`${CHUNKED}-5\r\n{"status":0}\r\n0\r\n\r\n`)),
  row('chunk longer than it says', lost, say(`${CHUNKED}3\r\n{"status":0}\r\n0\r\n\r\n`)),
  row('no last chunk', survived, ({ socket, answer }) => socket.end(`${CHUNKED}${chunk(answer)}`)),
  row('chunks with extensions and trailers', survived, ({ write, answer }) =>
    write(
      `${CHUNKED}${Buffer.byteLength(answer).toString(16)};a=b\r\n${answer}\r\n0\r\nx-trailer: 1\r\n\r\n`,
    ),
  ),
  row('a chunk for every byte', survived, ({ write, answer }) => {
    write(CHUNKED);
    for (const byte of Buffer.from(answer)) {
      write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
    }
    write('0\r\n\r\n');
  }),
  row('plain JSON declared as gzip', lost, body('{"status":0}', ['content-encoding: gzip'])),
  // The platform returns as much as it could decompress, and JSON that breaks off is invalid.
  row('gzip that breaks off', unusable, ({ write, answer }) =>
    write(message('200 OK', gzipSync(answer).subarray(0, -12), ['content-encoding: gzip'])),
  ),
  row('gzip with a wrong checksum', lost, ({ write, answer }) => {
    const bytes = gzipSync(answer);
    bytes.writeUInt32LE(0xdeadbeef, bytes.byteLength - 8);
    write(message('200 OK', bytes, ['content-encoding: gzip']));
  }),
  row(
    'gzip bomb',
    unusable,
    say(message('200 OK', gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')), ['content-encoding: gzip'])),
  ),
  row(
    'gzip bomb in a refusal',
    refused(422),
    say(message('422 No', gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')), ['content-encoding: gzip'])),
  ),
  row('valid gzip', survived, ({ write, answer }) =>
    write(message('200 OK', gzipSync(answer), ['content-encoding: gzip'])),
  ),
  row('deflate declared as gzip', lost, ({ write, answer }) =>
    write(message('200 OK', deflateSync(answer), ['content-encoding: gzip'])),
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
  row('plain JSON with an unknown content-encoding', survived, ({ write, answer }) =>
    write(message('200 OK', answer, ['content-encoding: x-nothing'])),
  ),
  row('content-encoding in a hundred layers', lost, ({ write, answer }) =>
    write(message('200 OK', answer, [`content-encoding: ${Array(100).fill('gzip').join(', ')}`])),
  ),
  row(
    'a body of more than 1 MiB, with the default maxResponseBytes',
    unusable,
    { client: { maxResponseBytes: undefined } },
    ({ answer }) => answer.replace('{', `{"novel":"${'x'.repeat(2 ** 20)}",`),
  ),
  row(
    'body of one byte more than maxResponseBytes',
    every(invalidResponse),
    body(`{"status":0,"novel":"${'x'.repeat(100_000 - 22)}"}`),
  ),
];
