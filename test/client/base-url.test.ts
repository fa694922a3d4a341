import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { isLoopback, parseBaseUrl } from '../../src/client/base-url';
import { failureOf } from '../values/support';

const refusal = (baseUrl: unknown, allowInsecureHttp = false) =>
  failureOf(() => parseBaseUrl(baseUrl as string, allowInsecureHttp));

it.each([
  ['https://service.example', 'https://service.example'],
  ['https://service.example/', 'https://service.example'],
  ['https://service.example//', 'https://service.example'],
  ['https://service.example:8443/a/b', 'https://service.example:8443/a/b'],
  ['https://service.example/a//b///', 'https://service.example/a//b'],
  ['https://service.example/a%20b/', 'https://service.example/a%20b'],
  ['HTTPS://SERVICE.example/A', 'https://service.example/A'],
  ['https://service.example/v1.1/a', 'https://service.example/v1.1/a'],
  ['https://service.example/v1.10', 'https://service.example/v1.10'],
  ['https://service.example/dev1.1', 'https://service.example/dev1.1'],
  ['http://127.0.0.1:80/a/', 'http://127.0.0.1/a'],
  ['http://localhost', 'http://localhost'],
  ['http://[::1]:1', 'http://[::1]:1'],
  ['http://0x7f.1', 'http://127.0.0.1'],
])('parseBaseUrl turns %s into %s', (baseUrl, parsed) => {
  expect(parseBaseUrl(baseUrl, false)).toBe(parsed);
});

it.each([
  [undefined, 'an absolute URL'],
  [7, 'an absolute URL'],
  [['https://service.example'], 'an absolute URL'],
  [[' https://service.example'], 'an absolute URL'],
  [new URL('https://service.example'), 'an absolute URL'],
  ['', 'an absolute URL'],
  ['/v1', 'an absolute URL'],
  ['service.example', 'an absolute URL'],
  ['https://', 'an absolute URL'],
  // A URL parser would silently drop or encode these.
  ['https://service.exam\nple', 'without white space'],
  ['https://service.example/v1\r\n/x', 'without white space'],
  ['https://service.\texample', 'without white space'],
  [' https://service.example', 'without white space'],
  ['https://service.example/a b', 'without white space'],
  ['https://service.example\u0000', 'without white space'],
  ['https://service.example\u00a0', 'without white space'],
  ['https://service.example/?', 'without a query or a fragment'],
  ['https://service.example/#', 'without a query or a fragment'],
  ['https://service.example?a=1', 'without a query or a fragment'],
  ['https://service.example/v#x', 'without a query or a fragment'],
  ['https://service.example/v1.1', 'without `/v1.1` at its end'],
  ['https://service.example/a/v1.1//', 'without `/v1.1` at its end'],
  // The credentials would travel unencrypted. Where the names lead, a name server decides.
  ['http://service.example', 'an https URL, got http://.'],
  ['http://127.0.0.1.evil.example', 'an https URL, got http://.'],
  ['http://localhost.evil.example', 'an https URL, got http://.'],
  ['http://api.localhost', 'an https URL, got http://.'],
  ['http://[::2]', 'an https URL, got http://.'],
])('parseBaseUrl refuses %j: expected it to be %s', (baseUrl, expected) => {
  expect(refusal(baseUrl)).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(refusal(baseUrl).message).toContain(`Expected \`baseUrl\` to be ${expected}`);
});

it.each(['ftp://127.0.0.1', 'file:///etc/passwd', 'localhost:4100'])(
  'parseBaseUrl refuses %j, whose scheme is another one, or missing',
  (baseUrl) => {
    expect(refusal(baseUrl).message).toContain(
      'Expected `baseUrl` to begin with `https://`, or with `http://`',
    );
  },
);

it('http:// to another host needs allowInsecureHttp, and the message says so', () => {
  expect(refusal('http://service.example').message).toContain(
    'Expected `baseUrl` to be an https URL, got http://. The credentials travel in every request. ' +
      'Pass `allowInsecureHttp: true`, or set PAYMENTS_ALLOW_INSECURE_HTTP=true for `fromEnv`, if the network between ' +
      'is yours or something on the way adds the encryption.',
  );
  expect(parseBaseUrl('http://service.example', true)).toBe('http://service.example');
  expect(refusal('ftp://service.example', true).message).toContain('to begin with `https://`');
});

it.each([
  ['https://marked-user@service.example', 'Pass the credentials as `apiKey`'],
  ['https://:marked-secret@service.example', 'Pass the credentials as `apiKey`'],
  ['https://marked-user:marked-secret@service.example/?a', 'Pass the credentials as `apiKey`'],
  ['https://marked-user:marked-secret@service.example\n', 'without white space'],
  // Credentials passed as `baseUrl` by mistake; a URL parser accepts the first as a URL.
  ['marked-user:marked-secret', 'to begin with `https://`'],
  ['marked-secret', 'an absolute URL'],
])('the refusal of %j never quotes user name and password', (baseUrl, says) => {
  expect(refusal(baseUrl).message).toContain(says);
  expect(inspect(refusal(baseUrl), { showHidden: true })).not.toMatch(/marked-(user|secret)/i);
});

it.each(['localhost', '127.0.0.1', '127.10.200.30', '127.255.255.255', '[::1]'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each(
  '128.0.0.1 127.0.0.1.example x127.0.0.1 127x0.0.1 127.0x0.1 127.0.0x1 127.a.0.1 localhost. xlocalhost [::11]'.split(
    ' ',
  ),
)('%s is not loopback', (host) => expect(isLoopback(host)).toBe(false));
