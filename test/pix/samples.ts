/** The Central Bank's sample codes (`bacen/pix-api` v2.9.0), by the journey that they correspond to. */
export const samples = {
  2: '00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9',
  3: '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741',
  4: '00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441',
} as const;

/**
 * The checksum by its definition, as a division of polynomials: the text's bits, the first sixteen inverted (the start
 * value FFFF), sixteen zeros behind them, and the remainder by x^16 + x^12 + x^5 + 1. Shares nothing with the library.
 */
export function dividedCrc(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  const bytes = Buffer.concat([Buffer.from(text, encoding), Buffer.from([0, 0])]);
  for (const at of [0, 1]) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  let remainder = 0;
  for (const byte of bytes) {
    for (const bit of byte.toString(2).padStart(8, '0')) {
      remainder = remainder * 2 + Number(bit);
      if (remainder > 0xffff) remainder = (remainder - 0x10000) ^ 0x1021;
    }
  }
  return remainder.toString(16).toUpperCase().padStart(4, '0');
}

/** Tag, length, value. */
export function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}

/** A whole code: the first field, some fields, and their checksum. */
export function brCodeOf(...fields: string[]): string {
  const text = `000201${fields.join('')}6304`;
  return text + dividedCrc(text);
}
