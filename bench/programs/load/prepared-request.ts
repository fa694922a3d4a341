import { fixtures } from 'pix-automatic-sdk/testing';
import { CREDENTIALS } from './messages';

export const NUMBER_DIGITS = 12;

/** The bytes of a whole request, with a place for a number in the `saleToken`. */
export function preparedRequest(port: number): { bytes: Buffer; numberAt: number } {
  const placeholder = '#'.repeat(NUMBER_DIGITS);
  const body = JSON.stringify(fixtures.payment({ saleToken: `9b2f6a1e-7c41-4f0d-8a52-${placeholder}` }));
  const { apiKey, apiToken } = CREDENTIALS;
  const head = [
    'POST /webhooks HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `Authorization: Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { bytes, numberAt: bytes.indexOf(placeholder) };
}
