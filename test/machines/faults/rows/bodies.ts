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
import { BRIEFLY, body, type Exchange, type Fault, message, repeat, say, sayAndClose } from '../fault';

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
  { name: 'empty body', respond: body(''), expected: unusable },
  { name: 'white space', respond: body(' \r\n\t'), expected: unusable },
  { name: 'HTML', respond: body('<!doctype html><h1>Sign in to this network</h1>'), expected: unusable },
  { name: 'null', respond: body('null'), expected: unusable },
  { name: 'true', respond: body('true'), expected: unusable },
  { name: 'a number', respond: body('0'), expected: unusable },
  { name: 'a string', respond: body('"success"'), expected: unusable },
  {
    name: 'an array',
    respond: ({ write, answer }) => write(message('200 OK', `[${answer}]`)),
    expected: unusable,
  },
  {
    name: 'JSON that breaks off',
    respond: ({ write, answer }) => write(message('200 OK', answer.slice(0, -1))),
    inspect: knowsTheJourney,
    expected: unusable,
  },
  {
    name: 'JSON with something after it',
    respond: ({ write, answer }) => write(message('200 OK', `${answer}}`)),
    inspect: knowsTheJourney,
    expected: unusable,
  },
  {
    name: 'JSON twice',
    respond: ({ write, answer }) => write(message('200 OK', answer + answer)),
    expected: unusable,
  },
  { name: 'NUL bytes', respond: body(Buffer.alloc(64)), expected: unusable },
  ...[-1, 999, 1, 0.5, 1e21].map(
    (status): Fault => ({
      name: `200 whose status is ${status}`,
      respond: body(JSON.stringify({ status, message: 'no' })),
      // The status has no documented meaning, so the outcome is unknown, and not even a query is retried.
      expected: every(apiError(200, 'unknown')),
    }),
  ),
  {
    name: '200 whose status is text',
    respond: body('{"status":"0","message":"success"}'),
    // A query needs no field, so its wrong status is left out.
    accepts: (result) => isDeepStrictEqual(result, { message: 'success' }),
    expected: { ...unusable, getTransaction: survived.getTransaction },
  },
  {
    name: 'a key twice, the last one bad',
    respond: ({ write, answer }) => write(message('200 OK', answer.replace(/\}$/, ',"status":-1}'))),
    expected: every(apiError(200, 'unknown')),
  },
  {
    name: 'a key twice, the last one good',
    respond: withFields('"status":-1,"message":"no"'),
    expected: survived,
  },
  {
    name: 'a list instead of an optional object',
    respond: ({ write, answer }) => write(message('200 OK', answer.replace('"track":{}', '"track":[]'))),
    accepts: withoutField('track'),
    expected: survived,
  },
  {
    name: 'a text instead of an optional number',
    respond: ({ write, answer }) =>
      write(message('200 OK', answer.replace('"appliedRate":0.99', '"appliedRate":"0.99"'))),
    accepts: withoutField('appliedRate'),
    expected: survived,
  },
  {
    name: 'a number beyond the safe integers',
    respond: withFields('"novel":9007199254740993'),
    accepts: alsoHas(({ novel }) => novel === 9007199254740992),
    expected: survived,
  },
  {
    name: 'an id beyond the safe integers',
    respond: ({ write, answer }) =>
      write(message('200 OK', answer.replace(/"id":\d+/, '"id":9007199254740993'))),
    accepts: (result) =>
      JSON.stringify(result).includes('9007199254740992') || !JSON.stringify(result).includes('"id"'),
    expected: survived,
  },
  {
    name: 'a number that overflows to infinity, in an unknown field',
    respond: withFields('"novel":1e999'),
    accepts: alsoHas(({ novel }) => novel === Number.POSITIVE_INFINITY),
    expected: survived,
  },
  {
    name: 'a number that overflows to infinity, as the amount',
    respond: ({ write, answer }) =>
      write(message('200 OK', answer.replace('"amount":59.7', '"amount":1e999'))),
    // Infinity is not an amount of money, so the field is left out.
    accepts: (result) => !JSON.stringify(result).includes('"amount"'),
    expected: survived,
  },
  {
    name: '__proto__ and constructor as keys',
    respond: withFields('"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'),
    accepts: (result, answer) =>
      Reflect.get({}, 'polluted') === undefined &&
      Reflect.get(result as object, 'polluted') === undefined &&
      Object.keys(answer).every((key) => Object.hasOwn(result as object, key)),
    expected: survived,
  },
  {
    name: 'a refusal with __proto__ in its body',
    respond: say(message('400 No', '{"__proto__":{"status":0,"message":"polluted"}}')),
    inspect: (error) => (error['serviceMessage'] === undefined ? undefined : 'the message is inherited'),
    expected: refused(400),
  },
  {
    name: 'arrays in arrays, 20,000 deep',
    respond: withFields(`"novel":${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    accepts: (result) => Array.isArray((result as Record<string, unknown>)['novel']),
    expected: survived,
  },
  {
    name: 'objects in objects, 15,000 deep, broken off',
    respond: body('{"a":'.repeat(15_000)),
    expected: unusable,
  },
  {
    name: 'a byte order mark',
    respond: ({ write, answer }) => write(message('200 OK', `\ufeff${answer}`)),
    expected: survived,
  },
  {
    name: 'UTF-8 declared as Latin-1',
    respond: ({ write, answer }) =>
      write(
        Buffer.from(
          message('200 OK', answer).toString().replace('application/json', 'text/plain; charset=iso-8859-1'),
        ),
      ),
    // The declared charset is used. Money and identifiers are ASCII, so they are read correctly anyway.
    accepts: (result, answer) => ascii(result) === ascii(answer),
    expected: survived,
  },
  {
    // JSON is UTF-8, whatever the service declares.
    name: 'UTF-8 declared as Latin-1',
    respond: ({ write, answer }) => {
      const bytes = Buffer.from(answer.replace('{', '{"novel":"é",'));
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=ISO-8859-1\r\n`;
      write(Buffer.concat([Buffer.from(`${head}content-length: ${bytes.byteLength}\r\n\r\n`), bytes]));
    },
    accepts: alsoHas(({ novel }) => novel === 'é'),
    expected: survived,
  },
  {
    name: 'an unknown charset',
    respond: ({ write, answer }) =>
      write(
        Buffer.from(
          message('200 OK', answer).toString().replace('application/json', 'text/plain; charset=x-nothing'),
        ),
      ),
    expected: survived,
  },
  {
    name: 'Latin-1 without a declared charset',
    respond: ({ write, answer }) =>
      write(message('200 OK', Buffer.from(answer.replace('{', '{"novel":"é",'), 'latin1'))),
    // Unreadable bytes become replacement characters. Money and identifiers are ASCII, so they are read correctly.
    accepts: (result) => (result as Record<string, unknown>)['novel'] === '\ufffd',
    expected: survived,
  },
  {
    name: 'UTF-16',
    respond: ({ write, answer }) =>
      write(message('200 OK', Buffer.from(`\ufeff${answer}`, 'utf16le'), ['content-language: pt-BR'])),
    expected: unusable,
  },
  {
    name: 'a character cut by a chunk',
    respond: async ({ write, answer }) => {
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
    accepts: alsoHas(({ novel }) => novel === 'é'),
    expected: survived,
  },

  {
    name: 'body that stalls',
    respond: say(`${OK}content-length: 1000\r\n\r\n{"status":0,`),
    client: BRIEFLY,
    expected: stalled,
  },
  {
    name: 'body that drips',
    respond: ({ socket, write }) => {
      write(CHUNKED);
      repeat(socket, () => chunk(' '), 10);
    },
    client: BRIEFLY,
    expected: stalled,
  },
  {
    name: 'body that drips as compressed bytes',
    respond: ({ socket, write }) => {
      const bytes = gzipSync(Buffer.from(' '.repeat(1_000)));
      write(`${OK}content-encoding: gzip\r\ncontent-length: ${bytes.byteLength + 1_000}\r\n\r\n`);
      let at = 0;
      repeat(socket, () => bytes.subarray(at, ++at), 10);
    },
    client: BRIEFLY,
    expected: stalled,
  },
  {
    name: 'refusal whose body stalls',
    respond: say('HTTP/1.1 403 Forbidden\r\ncontent-length: 1000\r\n\r\n{"status":'),
    client: BRIEFLY,
    // The status decides, and it has come.
    expected: refused(403),
  },
  {
    name: '503 whose body drips',
    respond: ({ socket, write }) => {
      write('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(socket, () => chunk(' '), 10);
    },
    client: BRIEFLY,
    expected: passing(503),
  },
  {
    name: 'refusal whose body breaks off',
    respond: sayAndClose('HTTP/1.1 409 Conflict\r\ncontent-length: 1000\r\n\r\n{"status":'),
    expected: refused(409),
  },
  {
    name: 'endless body',
    respond: ({ socket, write }) => {
      write(CHUNKED);
      repeat(socket, () => chunk('x'.repeat(4_000)));
    },
    expected: unusable,
  },
  {
    name: 'endless body until the connection closes',
    respond: ({ socket, write }) => {
      write(`${OK}\r\n`);
      repeat(socket, () => 'x'.repeat(4_000));
    },
    expected: unusable,
  },
  {
    name: 'refusal with an endless body',
    respond: ({ socket, write }) => {
      write('HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(socket, () => chunk('x'.repeat(4_000)));
    },
    expected: refused(403),
  },
  {
    name: 'Content-Length larger than the body',
    respond: ({ socket, answer }) =>
      socket.end(`${OK}content-length: ${answer.length + 1_000}\r\n\r\n${answer}`),
    // JSON that is whole is a success, whatever its framing says.
    expected: survived,
  },
  {
    name: 'Content-Length smaller than the body',
    respond: say(`${OK}content-length: 5\r\n\r\n{"status":0,"message":"success"}`),
    expected: unusable,
  },
  {
    name: 'Content-Length 0 with a body',
    respond: ({ write, answer }) => write(`${OK}content-length: 0\r\n\r\n${answer}`),
    expected: unusable,
  },
  ...['-5', 'many', '5, 6', '1e3', '99999999999999999999999'].map(
    (length): Fault => ({
      name: `Content-Length: ${length}`,
      respond: ({ socket, answer }) => socket.end(`${OK}content-length: ${length}\r\n\r\n${answer}`),
      expected: lost,
    }),
  ),
  {
    name: 'two Content-Lengths',
    respond: ({ socket, answer }) =>
      socket.end(`${OK}content-length: 5\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`),
    expected: lost,
  },
  {
    name: 'Content-Length together with chunks',
    respond: ({ socket, answer }) =>
      socket.end(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${chunk(answer)}0\r\n\r\n`),
    expected: lost,
  },
  {
    name: 'chunk size that is not a number',
    respond: say(`${CHUNKED}zz\r\n{"status":0}\r\n0\r\n\r\n`),
    expected: lost,
  },
  {
    name: 'chunk size that overflows',
    respond: say(`${CHUNKED}fffffffffffffffff\r\n{"status":0}`),
    expected: lost,
  },
  { name: 'negative chunk size', respond: say(`${CHUNKED}-5\r\n{"status":0}\r\n0\r\n\r\n`), expected: lost },
  {
    name: 'chunk longer than it says',
    respond: say(`${CHUNKED}3\r\n{"status":0}\r\n0\r\n\r\n`),
    expected: lost,
  },
  {
    name: 'no last chunk',
    respond: ({ socket, answer }) => socket.end(`${CHUNKED}${chunk(answer)}`),
    expected: survived,
  },
  {
    name: 'chunks with extensions and trailers',
    respond: ({ write, answer }) =>
      write(
        `${CHUNKED}${Buffer.byteLength(answer).toString(16)};a=b\r\n${answer}\r\n0\r\nx-trailer: 1\r\n\r\n`,
      ),
    expected: survived,
  },
  {
    name: 'a chunk for every byte',
    respond: ({ write, answer }) => {
      write(CHUNKED);
      for (const byte of Buffer.from(answer)) {
        write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
      }
      write('0\r\n\r\n');
    },
    expected: survived,
  },
  {
    name: 'plain JSON declared as gzip',
    respond: body('{"status":0}', ['content-encoding: gzip']),
    expected: lost,
  },
  {
    name: 'gzip that breaks off',
    respond: ({ write, answer }) =>
      write(message('200 OK', gzipSync(answer).subarray(0, -12), ['content-encoding: gzip'])),
    // The platform returns as much as it could decompress, and JSON that breaks off is invalid.
    expected: unusable,
  },
  {
    name: 'gzip with a wrong checksum',
    respond: ({ write, answer }) => {
      const bytes = gzipSync(answer);
      bytes.writeUInt32LE(0xdeadbeef, bytes.byteLength - 8);
      write(message('200 OK', bytes, ['content-encoding: gzip']));
    },
    expected: lost,
  },
  {
    name: 'gzip bomb',
    respond: say(
      message('200 OK', gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')), ['content-encoding: gzip']),
    ),
    expected: unusable,
  },
  {
    name: 'gzip bomb in a refusal',
    respond: say(
      message('422 No', gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')), ['content-encoding: gzip']),
    ),
    expected: refused(422),
  },
  {
    name: 'valid gzip',
    respond: ({ write, answer }) => write(message('200 OK', gzipSync(answer), ['content-encoding: gzip'])),
    expected: survived,
  },
  {
    name: 'deflate declared as gzip',
    respond: ({ write, answer }) => write(message('200 OK', deflateSync(answer), ['content-encoding: gzip'])),
    expected: lost,
  },
  {
    name: 'unknown content-encoding',
    respond: ({ write, answer }) =>
      write(
        message(
          '200 OK',
          Buffer.from(answer).map((byte) => byte ^ 0x5a),
          ['content-encoding: x-secret'],
        ),
      ),
    expected: unusable,
  },
  {
    name: 'plain JSON with an unknown content-encoding',
    respond: ({ write, answer }) => write(message('200 OK', answer, ['content-encoding: x-nothing'])),
    expected: survived,
  },
  {
    name: 'content-encoding in a hundred layers',
    respond: ({ write, answer }) =>
      write(message('200 OK', answer, [`content-encoding: ${Array(100).fill('gzip').join(', ')}`])),
    expected: lost,
  },
  {
    name: 'a body of more than 1 MiB, with the default maxResponseBytes',
    respond: ({ write, answer }) =>
      write(message('200 OK', answer.replace('{', `{"novel":"${'x'.repeat(2 ** 20)}",`))),
    client: { maxResponseBytes: undefined },
    expected: unusable,
  },
  {
    name: 'body of one byte more than maxResponseBytes',
    respond: body(`{"status":0,"novel":"${'x'.repeat(100_000 - 22)}"}`),
    expected: every(invalidResponse),
  },
];
