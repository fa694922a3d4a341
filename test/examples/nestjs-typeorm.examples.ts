import { describe, it } from 'vitest';
import { findPostgres } from '../helpers/postgres';
import { playWholeMerchant } from './helpers/whole-merchant';

describe.skipIf(!(await findPostgres()))('nestjs-typeorm', () => {
  it('gives an order one QR code, books each payment once, and shows a person the rest', async () => {
    await playWholeMerchant('nestjs-typeorm');
  });
});
