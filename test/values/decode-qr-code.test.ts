import fc from 'fast-check';
import { decodeQrCode, InvalidRequestError } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';

seedRandomTests();

const png = Buffer.from('\x89PNG\r\n\x1a\n the rest', 'latin1');
const base64 = png.toString('base64');

it('gives the bytes, the media type and a URL', () => {
  const image = decodeQrCode({ base64 });
  expect(image.bytes).toBeInstanceOf(Uint8Array);
  expect(Buffer.from(image.bytes)).toEqual(png);
  expect(image.mediaType).toBe('image/png');
  expect(image.dataUrl).toBe(`data:image/png;base64,${base64}`);
});

it.each([
  ['as text', base64],
  ['with a prefix', `data:image/png;base64,${base64}`],
  ['with a prefix that is wrong', `data:image/jpeg;base64,${base64}`],
  ['with a prefix of other letters and parameters', `DATA:Image/PNG;charset=utf-8;base64,${base64}`],
  ['with line breaks', base64.replace(/(.{4})/g, '$1\r\n')],
  ['without padding', base64.replace(/=+$/, '')],
])('reads it %s', (_, given) => {
  const image = decodeQrCode(given);
  expect(Buffer.from(image.bytes)).toEqual(png);
  expect(image.mediaType).toBe('image/png');
  expect(image).toEqual(decodeQrCode({ base64: given }));
});

it('the URL holds the bytes, whatever they are and however they were written', async () => {
  const writing = fc.constantFrom('base64' as const, 'base64url' as const);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1 }), writing, async (bytes, encoding) => {
      const image = decodeQrCode(Buffer.from(bytes).toString(encoding));
      expect(image.bytes).toEqual(bytes);
      const fetched = await fetch(image.dataUrl);
      expect(new Uint8Array(await fetched.arrayBuffer())).toEqual(bytes);
    }),
  );
});

describe('the media type is told by the first bytes', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\x00\x00\x00\x00WEBPVP8 '],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['image/svg+xml', '\n<?xml version="1.0"?>\n<svg/>'],
    ['application/octet-stream', 'something else'],
    ['application/octet-stream', 'RIFF\x00\x00\x00\x00WAVE'],
  ])('%s', (mediaType, start) => {
    expect(decodeQrCode(Buffer.from(start, 'latin1').toString('base64')).mediaType).toBe(mediaType);
  });

  it('and by the prefix where they do not tell', () => {
    const avif = Buffer.from('something else').toString('base64');
    expect(decodeQrCode(`data:image/avif;base64,${avif}`).mediaType).toBe('image/avif');
  });
});

it.each([undefined, null, ''])('a QR code whose base64 is %s says what to show instead', (none) => {
  expect(() => decodeQrCode({ base64: none })).toThrow(/show `plain` or `url` instead/);
});

it.each(['data:image/png;base64,', '   ', 'data:,'])('%j is no image', (empty) => {
  expect(() => decodeQrCode(empty)).toThrow(InvalidRequestError);
});

it.each(['***', 'A', 'QUJD*', '=', 'ação'])('%j is no Base64, and is not quoted', (wrong) => {
  expect(() => decodeQrCode(wrong)).toThrow(InvalidRequestError);
  expect(() => decodeQrCode(wrong)).toThrow('base64: expected Base64.');
});
