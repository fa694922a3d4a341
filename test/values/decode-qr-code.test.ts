import fc from 'fast-check';
import { decodeQrCode, InvalidRequestError, type QrCode, type QrCodeImage } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import { failureOf } from './support';

seedRandomTests();

const png = Buffer.from('\x89PNG\r\n\x1a\n the rest', 'latin1');
const base64 = png.toString('base64');

/** The image of a QR code that must have one. */
function imageOf(qrCode: Parameters<typeof decodeQrCode>[0]): QrCodeImage {
  const image = decodeQrCode(qrCode);
  if (image === undefined) throw new Error('Expected a picture');
  return image;
}

it('decodeQrCode gives the bytes, the media type and a URL', () => {
  const dataUrl = `data:image/png;base64,${base64}`;
  expect(decodeQrCode({ base64 })).toEqual({ bytes: new Uint8Array(png), mediaType: 'image/png', dataUrl });
});

it.each([
  ['as plain Base64', base64],
  ['with a prefix', `data:image/png;base64,${base64}`],
  ['with a prefix of the wrong type', `data:image/jpeg;base64,${base64}`],
  ['with a prefix in upper case and with parameters', `DATA:Image/PNG;charset=utf-8;base64,${base64}`],
  ['with line breaks', base64.replace(/(.{4})/g, '$1\r\n')],
  ['without padding', base64.replace(/=+$/, '')],
])('decodeQrCode reads a picture given %s', (_, given) => {
  const image = imageOf(given);
  expect(Buffer.from(image.bytes)).toEqual(png);
  expect(image.mediaType).toBe('image/png');
  expect(image).toEqual(decodeQrCode({ base64: given }));
});

it('the data URL holds the decoded bytes, for any bytes in Base64 or Base64url', async () => {
  const writing = fc.constantFrom('base64' as const, 'base64url' as const);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1 }), writing, async (bytes, encoding) => {
      const image = imageOf(Buffer.from(bytes).toString(encoding));
      expect(image.bytes).toEqual(bytes);
      const fetched = await fetch(image.dataUrl);
      expect(new Uint8Array(await fetched.arrayBuffer())).toEqual(bytes);
    }),
  );
});

describe('the media type depends only on the first bytes', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF87a'],
    ['image/gif', 'GIF89a'],
    ['image/gif', 'GIF87a and more'],
    ['image/gif', 'GIF89a and more'],
    ['application/octet-stream', 'other GIF87a'],
    ['application/octet-stream', 'other GIF89a'],
    ['application/octet-stream', 'RIFX\x00\x00\x00\x00WEBPVP8 '],
    ['image/webp', 'RIFF\x00\x00\x00\x00WEBPVP8 '],
    ['application/octet-stream', 'something else'],
    ['application/octet-stream', 'GIF8'],
    ['application/octet-stream', 'RIFF\x00\x00\x00\x00WAVE'],
    // It can hold scripts, and a browser that opens it as a page runs them.
    ['application/octet-stream', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['application/octet-stream', '\n<?xml version="1.0"?>\n<svg/>'],
    ['application/octet-stream', '<!doctype html><script>alert(1)</script>'],
  ])('and is %s for %j', (mediaType, start) => {
    expect(imageOf(Buffer.from(start, 'latin1').toString('base64')).mediaType).toBe(mediaType);
  });

  it.each(['image/avif', 'image/svg+xml', 'text/html', 'image/"><script>alert(1)</script>'])(
    'and not on the prefix, which anybody can write: %s',
    (declared) => {
      const encoded = Buffer.from('something else').toString('base64');
      const [mediaType, dataUrl] = [
        'application/octet-stream',
        `data:application/octet-stream;base64,${encoded}`,
      ];
      expect(imageOf(`data:${declared};base64,${encoded}`)).toMatchObject({ mediaType, dataUrl });
    },
  );
});

it('the data URL cannot break out of an HTML attribute, whatever the service sent', () => {
  const hostile = 'data:image/x" onerror="alert(1);base64,';
  const prefix = fc.constantFrom('', 'data:image/png;base64,', hostile, "data:'>,");
  const noise = fc.constantFrom('', ...' \n\u00a0\u2028\ufeff"\'<>&`\0');
  fc.assert(
    fc.property(prefix, fc.uint8Array(), noise, fc.nat(40), (start, bytes, inside, at) => {
      const encoded = Buffer.from(bytes).toString('base64');
      let image: QrCodeImage | undefined;
      try {
        image = decodeQrCode(start + encoded.slice(0, at) + inside + encoded.slice(at));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidRequestError);
        return;
      }
      if (image) expect(image.dataUrl).toMatch(/^data:[a-z]+\/[a-z-]+;base64,[A-Za-z0-9+/]+=*$/);
    }),
    { numRuns: 2_000 },
  );
});

it.each(['', 'data:image/png;base64,', '   ', '\r\n', 'data:,'])('%j gives no picture', (empty) => {
  expect(decodeQrCode(empty)).toBeUndefined();
});

it('a QR code without base64 has no picture', () => {
  for (const none of [undefined, null, '']) expect(decodeQrCode({ base64: none })).toBeUndefined();
  expect(decodeQrCode({ plain: '00020126' } as Pick<QrCode, 'base64'>)).toBeUndefined();
});

const wrongText = ['***', 'A', 'QUJD*', '=', 'ação', 'data:image/png;base64', 'QUJD, QUJD', 'QUJDdata:,QUJD'];
const wrongForm = [undefined, null, 7, true, [], () => 1];
const form = 'qrCode: expected `response.instructions.qrCode`';
const plain = '00020126360014br.gov.bcb.pix2514qr.example/abc6304ABCD';

it.each([
  ...wrongText.map((wrong) => [wrong, 'base64: expected Base64, not the `plain` text. See docs']),
  [plain, 'base64: expected Base64, not the `plain` text. See docs'],
  [{ state: 'open', qrCode: { plain, base64 } }, `${form} of a checkout, \`qrCode\` of an order, or`],
  ...[7, {}, ['QUJD']].map((base64) => [{ base64 }, 'base64: expected a string. See docs']),
  ...wrongForm.map((wrong) => [wrong, form]),
] as Array<[unknown, string]>)(
  '%j is refused, is not quoted, and the error has no outcome, because nothing is sent',
  (wrong, says) => {
    const error = failureOf(() => decodeQrCode(wrong as never));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.outcome).toBeUndefined();
    expect(error.message).toContain(`The QR code is not valid. ${says}`);
    expect(error.message).not.toContain('sent');
  },
);

it('decodeQrCode reads a picture of three megabytes', () => {
  const bytes = Buffer.alloc(3_000_000, 'pixels');
  const image = imageOf(`data:image/png;base64,${bytes.toString('base64')}`);
  expect(Buffer.compare(image.bytes, bytes)).toBe(0);
});
