import { describe, it } from 'vitest';
import { findPostgres } from '../helpers/postgres';
import { playWholeMerchant } from './helpers/whole-merchant';
import { installExample } from './runner/install-example';

describe.skipIf(!(await findPostgres()))('express-postgres', () => {
  it('gives an order one QR code, books each payment once, and shows a person the rest', async () => {
    await playWholeMerchant(await installExample('express-postgres'));
  });
});
