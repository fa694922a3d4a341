import { test } from 'vitest';
import { startMerchant } from './listeners/merchant';
import { verifyListener } from './listeners/verify-listener';
import { reportLines } from '../../src/cli/verify/report';
test('try', async () => {
  const t = Date.now();
  const r = await verifyListener(await startMerchant({}));
  for (const s of r.steps) console.log(reportLines(s));
  console.log(r.ended, r.sent, Date.now() - t);
}, 60000);
