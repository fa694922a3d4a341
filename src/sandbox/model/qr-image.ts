import { encode } from 'uqr';
import { png } from './png';

const PIXELS_A_MODULE = 4;
/** The quiet zone that the standard asks for, in modules. */
const BORDER = 4;

/** The picture of a QR code. */
export function qrImage(text: string): Uint8Array {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const width = size * PIXELS_A_MODULE;
  return png(width, width, (x, y) => {
    return data[Math.floor(y / PIXELS_A_MODULE)]?.[Math.floor(x / PIXELS_A_MODULE)] === true;
  });
}
