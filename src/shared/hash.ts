// The class itself, because `sha256` is made by code for the options of all hashes, which a bundle would keep.
import { _SHA256 as Sha256 } from '@noble/hashes/sha2.js';

/** The SHA-256 of a text, in hexadecimal. Not by `crypto.subtle`, which answers later, or `node:crypto`, which Workers may lack. */
export function sha256Of(text: string): string {
  const bytes = new Sha256().update(new TextEncoder().encode(text)).digest();
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
