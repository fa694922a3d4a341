import { joinChunks } from '../../shared/bytes';

/**
 * A black-and-white PNG. Its pixels are not compressed, so that it needs no `node:zlib`, and so that the bytes are the
 * same on every runtime and version.
 */
export function png(width: number, height: number, isBlack: (x: number, y: number) => boolean): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  view.setUint8(8, 1); // One bit per pixel. The zeros: greyscale, deflate, filter byte per line, no interlacing.
  return joinChunks([
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', zlibStored(scanlines(width, height, isBlack))),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Each line starts with its filter byte (0: none); then each byte holds eight pixels, where 1 is white. */
function scanlines(width: number, height: number, isBlack: (x: number, y: number) => boolean): Uint8Array {
  const stride = 1 + Math.ceil(width / 8);
  const lines = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * stride + 1 + (x >> 3);
      if (!isBlack(x, y)) lines[at] = (lines[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  return lines;
}

/** A zlib stream of stored blocks. */
function zlibStored(data: Uint8Array): Uint8Array {
  const largest = 0xffff;
  const parts: Uint8Array[] = [new Uint8Array([0x78, 0x01])];
  for (let at = 0; at < data.length; at += largest) {
    const block = data.subarray(at, at + largest);
    const last = at + largest >= data.length ? 1 : 0;
    const size = block.length;
    parts.push(new Uint8Array([last, size & 0xff, size >> 8, ~size & 0xff, (~size >> 8) & 0xff]), block);
  }
  parts.push(uint32(adler32(data)));
  return joinChunks(parts);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = joinChunks([new TextEncoder().encode(type), data]);
  return joinChunks([uint32(data.length), typed, uint32(crc32(typed))]);
}

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function adler32(data: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
