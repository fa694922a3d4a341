// Writes the pictures of the sandbox's page that the READMEs show: docs/images/sandbox-en.jpg and -pt.jpg.
// Run: npm run screenshots
import { launch } from './browser';
import { openScene } from './scene';

const scene = await openScene({ port: 4100, retryIntervalMs: 60_000 });
const { sandbox, answerWith } = scene;

const cancelled = await scene.create({ referenceCode: 'order-1001' });
sandbox.cancelTransaction(cancelled);
const refunded = await scene.create({ referenceCode: 'order-1002', amount: 129.9 });
sandbox.pay(refunded);
await sandbox.idle();
sandbox.refund(refunded, { amount: 29.9 });
await sandbox.idle();
const paid = await scene.create({
  referenceCode: 'order-1003',
  shopper: { id: 'shopper-7', name: 'Ana', docment: {}, document: { type: 'CPF', number: '123.456.789-09' } },
});
answerWith(503);
sandbox.pay(paid);
await new Promise((resolve) => setTimeout(resolve, 500));

const browser = await launch();
for (const [name, locale] of [
  ['en', 'en-US'],
  ['pt', 'pt-BR'],
] as const) {
  const page = await browser.newPage({ locale, viewport: { width: 1080, height: 760 } });
  await page.goto(sandbox.url);
  await page.getByText('order-1003').first().waitFor();
  await page.screenshot({ path: `docs/images/sandbox-${name}.jpg`, type: 'jpeg', quality: 35 });
  await page.close();
}
await browser.close();
await scene.close();
