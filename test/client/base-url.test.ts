import { ConfigurationError } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { isLoopback, parseBaseUrl } from '../../src/client/base-url';

function refusal(baseUrl: unknown, allowInsecureHttp = false): string {
  let thrown: unknown;
  try {
    parseBaseUrl(baseUrl as string, allowInsecureHttp);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigurationError);
  return (thrown as ConfigurationError).message;
}

it.each([
  ['https://service.example', 'https://service.example'],
  ['https://service.example/', 'https://service.example'],
  ['https://service.example//', 'https://service.example'],
  ['https://service.example:8443/a/b', 'https://service.example:8443/a/b'],
  ['https://service.example/a//b///', 'https://service.example/a//b'],
  ['https://service.example/a%20b/', 'https://service.example/a%20b'],
  ['HTTPS://SERVICE.example/A', 'https://service.example/A'],
  ['http://127.0.0.1:80/a/', 'http://127.0.0.1/a'],
])('parseBaseUrl turns %s into %s', (baseUrl, parsed) => {
  expect(parseBaseUrl(baseUrl, false)).toBe(parsed);
});

it.each([
  [['https://service.example']],
  [[' https://service.example']],
  [new URL('https://service.example')],
])('parseBaseUrl refuses %o, which is not a string', (baseUrl) => {
  expect(refusal(baseUrl)).toContain('Expected `baseUrl` to be an absolute URL');
});

it('a URL with credentials is refused, and the message says where they belong', () => {
  for (const baseUrl of ['https://u@service.example', 'https://:p@service.example']) {
    expect(refusal(baseUrl)).toContain('without a user name or password. Pass the credentials as `apiKey`');
  }
});

it('a scheme other than https is refused, and the message names only http', () => {
  expect(refusal('http://service.example')).toContain('to be an https URL, got http://.');
  expect(refusal('http://service.example')).toContain('Pass `allowInsecureHttp: true`, or set');
  expect(refusal('key:token', true)).toContain('to be an https URL, got another scheme.');
  expect(parseBaseUrl('http://service.example', true)).toBe('http://service.example');
});

it.each(['localhost', '127.0.0.1', '127.10.200.30', '127.255.255.255', '[::1]'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each([
  '128.0.0.1',
  '127.0.0.1.example',
  'x127.0.0.1',
  '127x0.0.1',
  '127.0x0.1',
  '127.0.0x1',
  '127.a.0.1',
  'localhost.',
  '[::11]',
  '',
])('%j is not loopback', (host) => {
  expect(isLoopback(host)).toBe(false);
});
