import { inflateSync } from 'node:zlib';
import { readBrCode } from 'pix-automatic-sdk/pix';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { crc16 } from '../../../src/pix/br-code';
import { openJourney, openSandbox, order } from '../helpers';

/** Reads tag, length, value; throws on any other text. */
function readTlv(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const length = Number(text.slice(at + 2, at + 4));
    const value = text.slice(at + 4, at + 4 + length);
    if (!/^\d{4}/.test(text.slice(at)) || value.length !== length) throw new Error(`No field at ${at}`);
    fields.set(text.slice(at, at + 2), value);
    at += 4 + length;
  }
  return fields;
}

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

describe('the QR code', () => {
  it('has a BR Code for its text, with a correct checksum', async () => {
    const { uuid, journey } = await openJourney();
    const { plain } = journey.instructions.qrCode;
    const fields = readTlv(plain);
    const tags = ['00', '01', '26', '52', '53', '54', '58', '59', '60', '62', '80', '63'];
    expect([...fields.keys()]).toEqual(tags);
    expect(fields.get('54')).toBe('59.70');
    expect(fields.get('53')).toBe('986');
    expect(readTlv(fields.get('26') ?? '').get('00')).toBe('br.gov.bcb.pix');
    expect(readTlv(fields.get('26') ?? '').get('25')).toBe(`qr.sandbox.invalid/${uuid}`);
    expect(fields.get('63')).toBe(crc16(plain.slice(0, -4)));
  });

  it('is the composite code of journey 3 when a payment is made at once, and readBrCode reads it', async () => {
    const { uuid, journey } = await openJourney();
    const { plain } = journey.instructions.qrCode;
    expect(readBrCode(plain)).toMatchObject({
      journey: 3,
      chargeUrl: `qr.sandbox.invalid/${uuid}`,
      recurrenceUrl: `qr.sandbox.invalid/rec/${uuid}`,
      amount: 59.7,
      currency: 'BRL',
    });
  });

  it('is the code of journey 2 when the payer only authorizes', async () => {
    const request = { ...order, recurrence: { ...order.recurrence, immediatePayment: false } };
    const { uuid, journey } = await openJourney({}, request);
    const { plain } = journey.instructions.qrCode;
    const read = readBrCode(plain);
    expect(read).toMatchObject({ journey: 2, recurrenceUrl: `qr.sandbox.invalid/rec/${uuid}` });
    expect([read.chargeUrl, read.amount]).toEqual([undefined, undefined]);
    expect(read.fields.map(({ tag }) => tag)).not.toContain('01');
  });

  it('uses the published checksum', () => {
    // The check value of CRC-16/CCITT-FALSE.
    expect(crc16('123456789')).toBe('29B1');
  });

  it('leaves out an amount that does not fit into a BR Code', async () => {
    const { journey } = await openJourney({}, { ...order, amount: 1e21 });
    expect(readTlv(journey.instructions.qrCode.plain).has('54')).toBe(false);
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
