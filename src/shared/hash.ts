import { sha256 } from '@noble/hashes/sha2.js';

/** The SHA-256 of a text, in hexadecimal. Not by `crypto.subtle`, which answers later, or `node:crypto`, which Workers may lack. */
export function sha256Of(text: string): string {
  const bytes = sha256(new TextEncoder().encode(text));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
