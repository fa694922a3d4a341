import { inflateSync } from 'node:zlib';
import { readBrCode } from 'pix-automatic-sdk/pix';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { openJourney, openSandbox, order } from '../helpers';

/** Reads a PNG of one bit per pixel back into black and white. */
function readPng(file: Buffer) {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const compressed: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      compressed.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  // Throws when the checksum of the stream is wrong.
  const lines = inflateSync(Buffer.concat(compressed));
  const stride = 1 + Math.ceil(width / 8);
  const isBlack = (x: number, y: number) =>
    ((lines[y * stride + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0;
  return { width, height, isBlack };
}

const authorizing = { ...order, recurrence: { ...order.recurrence, immediatePayment: false } };

describe('the QR code', () => {
  // test/pix reads the codes of the Central Bank, and checks the checksum by another way of computing it.
  it.each<[what: string, request: object, expected: string]>([
    [
      'is the composite code of journey 3 when a payment is made at once',
      order,
      'journey 3: 00 01 26 52 53 54 58 59 60 62 80 63, BRL 59.7, charge qr.sandbox.invalid/UUID, recurrence qr.sandbox.invalid/rec/UUID',
    ],
    [
      'is the code of journey 2 when the payer only authorizes',
      authorizing,
      'journey 2: 00 26 52 53 58 59 60 62 80 63, BRL undefined, charge undefined, recurrence qr.sandbox.invalid/rec/UUID',
    ],
    [
      'leaves out an amount that does not fit into a BR Code',
      { ...order, amount: 1e21 },
      'journey 3: 00 01 26 52 53 58 59 60 62 80 63, BRL undefined, charge qr.sandbox.invalid/UUID, recurrence qr.sandbox.invalid/rec/UUID',
    ],
  ])('%s', async (_what, request, expected) => {
    const { uuid, journey } = await openJourney({}, request);
    const read = readBrCode(journey.instructions.qrCode.plain);
    const tags = read.fields.map(({ tag }) => tag).join(' ');
    const urls = `charge ${read.chargeUrl}, recurrence ${read.recurrenceUrl}`.replaceAll(uuid, 'UUID');
    expect(`journey ${read.journey}: ${tags}, ${read.currency} ${read.amount}, ${urls}`).toBe(expected);
  });

  it('is a picture of its text, the same as at its URL', async () => {
    const { journey } = await openJourney();
    const { qrCode } = journey.instructions;
    const served = await fetch(qrCode.url);
    expect(served.headers.get('content-type')).toBe('image/png');
    const file = Buffer.from(await served.arrayBuffer());
    expect(file.toString('base64')).toBe(qrCode.base64);

    const expected = encode(qrCode.plain, { ecc: 'M', border: 4 });
    const { width, height, isBlack } = readPng(file);
    expect([width, height]).toEqual([expected.size * 4, expected.size * 4]);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (isBlack(x, y) !== expected.data[y >> 2]?.[x >> 2]) throw new Error(`Wrong pixel at ${x}, ${y}`);
      }
    }
  });

  it('is not found for an unknown journey', async () => {
    const { sandbox } = await openSandbox();
    expect((await fetch(`${sandbox.url}/sandbox/qr-codes/nope.png`)).status).toBe(404);
  });

  it('can be a data: URL, and can name another host', async () => {
    const inventions = { qrCodeBase64: 'data-url' } as const;
    const { journey } = await openJourney({ inventions, publicUrl: 'http://sandbox.test/' });
    const { qrCode } = journey.instructions;
    expect(qrCode.base64).toMatch(/^data:image\/png;base64,iVBOR/);
    expect(qrCode.url).toMatch(/^http:\/\/sandbox\.test\/sandbox\/qr-codes\//);
  });
});
