import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secrets } from '../../src/service/credentials';
import { dropConnection, reply, startHttpServer } from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { clientFor, failureOf, operations } from './support';

// What every error and event prints, for each operation and in a hostile host, is in test/secrets.
// Mixed case, because a host name comes back in lower case.
const apiKey = 'MarkedKey7f3a';
const apiToken = 'MarkedToken9c1d';
const credentials = { apiKey, apiToken };
const [create, query, cancel] = operations;

const everythingPrinted = (error: object) =>
  `${inspect(error, { depth: 9, showHidden: true })}\n${JSON.stringify(error)}\n${Reflect.get(error, 'stack')}`;
const marked = /marked(key|token)/i;

it('the body of a response can be read from the error, although nothing prints it', async () => {
  const echo = { status: 400, message: `${apiKey} ${apiToken} 52998224725`, [apiKey]: apiToken };
  const server = await startHttpServer(reply(400, echo), reply(200, { response: { amount: '52998224725' } }));
  const client = clientFor(server, credentials);
  const refused = await failureOf(create.call(client));
  expect(refused).toMatchObject({ body: echo, serviceMessage: '[redacted] [redacted] 52998224725' });
  const unusable = await failureOf(create.call(client));
  expect(unusable['body']).toEqual({ response: { amount: '52998224725' } });
  for (const error of [refused, unusable]) {
    expect(Object.keys(error)).not.toContain('body');
    expect(everythingPrinted(error)).not.toMatch(/marked(key|token)|52998224725/i);
  }
});

it.each([
  ['the status text', `HTTP/1.1 400 ${apiKey} ${apiToken}\r\ncontent-length: 0\r\n\r\n`],
  ['a broken status line', `HTTP/9 ${apiKey} ${apiToken}\r\n\r\n`],
  ['a broken header', `HTTP/1.1 200 OK\r\n${apiKey}\r\n${apiToken}: ${apiToken}\u0000\r\n\r\n`],
  ['a broken chunk', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${apiKey}\r\n${apiToken}`],
])('credentials in %s are not shown', async (_, bytes) => {
  const server = await startRawServer((socket) => socket.end(bytes));
  for (const { call } of operations) {
    const error = await failureOf(call(clientFor(server, { ...credentials, maxRetries: 0 })));
    expect(everythingPrinted(error)).not.toMatch(marked);
  }
});

it('an error never has an error of the platform as its cause', async () => {
  const server = await startHttpServer(dropConnection);
  expect('cause' in (await failureOf(cancel.call(clientFor(server, credentials))))).toBe(false);
});

it.each([400, 200])(
  'serviceMessage and serviceErrors of a %d are without credentials',
  async (httpStatus) => {
    const errors = [{ field: `x-${apiKey}`, message: `${apiToken.toUpperCase()} is unknown` }];
    const server = await startHttpServer(reply(httpStatus, { status: -1, message: apiToken, errors }));
    const serviceErrors = [{ field: 'x-[redacted]', message: '[redacted] is unknown' }];
    for (const { call } of operations) {
      const error = await failureOf(call(clientFor(server, credentials)));
      expect(error).toMatchObject({ httpStatus, serviceMessage: '[redacted]', serviceErrors });
    }
  },
);

it('a printed client shows nothing', async () => {
  const client = clientFor({ url: 'https://service.example' }, credentials);
  expect(everythingPrinted(client)).not.toMatch(marked);
  expect(Object.keys(client)).toEqual([]);
  expect(structuredClone(client)).toEqual({});
});

it('the location of a redirect is without credentials', async () => {
  const location = `https://${apiKey}.other.example:8443/x`;
  const server = await startHttpServer(reply(302, '', { location }));
  const error = await failureOf(query.call(clientFor(server, credentials)));
  expect(error).toMatchObject({ location: 'https://[redacted].other.example:8443/x' });
  expect(error.message).not.toContain('other.example');
});

it('a credential with regular-expression characters is redacted literally', () => {
  const odd = '(a+)+$.*z';
  expect(new Secrets({ apiKey: 'k-key', apiToken: odd }).redact(`/x-${odd}-y/`)).toBe('/x-[redacted]-y/');
});

it('the words of a message stay, also where a short credential is one of them', async () => {
  const server = await startHttpServer(reply(401), reply(404));
  const client = clientFor(server, { apiKey: 'key', apiToken: 'path' });
  const { message } = await failureOf(query.call(client));
  expect(message).toContain('Check that `apiKey` and `apiToken` belong to this `baseUrl`');
  expect((await failureOf(query.call(client))).message).toContain('and the path prefix of `baseUrl`');
});

describe('a credential in a path is not shown', () => {
  it('by a 404, percent-encoded or not', async () => {
    const odd = 'sécret/tøken+1234';
    const server = await startHttpServer(reply(404));
    const url = `${server.url}/${encodeURIComponent(odd)}`;
    const client = clientFor({ url }, { apiKey: 'a+b/c=d-1234567', apiToken: 't' });
    const error = await failureOf(client.getTransaction('a+b/c=d-1234567'));
    expect(everythingPrinted(error)).not.toMatch(/a%2Bb|a\+b|s%C3%A9cret|sécret/);
  });

  it.each([
    ['a component', encodeURIComponent],
    ['a path', encodeURI],
    ['a form', (text: string) => new URLSearchParams([['', text]]).toString().slice(1)],
    ['every byte', (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ])('by client.request, encoded as %s', async (_, encode) => {
    const server = await startHttpServer(reply(404));
    const secret = 'é+b/c=12345 (6)*~7890';
    const client = clientFor(server, { apiToken: secret });
    const thrown = await failureOf(client.request({ method: 'GET', path: `/x/${encode(secret)}/y` }));
    expect(thrown).toMatchObject({ operation: 'GET /x/[redacted]/y' });
    expect(everythingPrinted(thrown)).not.toContain(encode(secret));
  });
});

it('a uuid that contains a short credential by chance is not redacted', async () => {
  const server = await startHttpServer(reply(500, { response: { uuid: '7d1f2a90-3c54' } }));
  const error = await failureOf(create.call(clientFor(server, { apiKey: '7d1f2a90', apiToken: '54' })));
  expect(error['uuid']).toBe('7d1f2a90-3c54');
});

it('a uuid is dropped when it contains a credential of 12 or more characters', async () => {
  const uuidWith = (secret: string) =>
    new Secrets({ apiKey: secret, apiToken: 'x' }).dropIfSecret(`7-${secret.toUpperCase()}-3`);
  expect(uuidWith('0123456789a')).toBe('7-0123456789A-3');
  expect(uuidWith('0123456789ab')).toBeUndefined();
  const server = await startHttpServer(reply(500, { response: { uuid: `x-${apiToken.toUpperCase()}` } }));
  expect((await failureOf(create.call(clientFor(server, credentials))))['uuid']).toBeUndefined();
});
