// Writes the pictures of the sandbox's page: docs/images/sandbox-en.jpg and -pt.jpg, which the READMEs show, and the same
// on a phone and in the dark.
// Run: npx tsx test/page/screenshots.ts
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
  for (const [variant, colorScheme, width, height] of [
    ['', 'light', 1280, 860],
    ['-dark', 'dark', 1280, 860],
    ['-phone', 'light', 390, 844],
  ] as const) {
    const page = await browser.newPage({ locale, colorScheme, viewport: { width, height } });
    await page.goto(`${sandbox.url}/#sales/${paid}`);
    await page.getByText('HTTP 503').first().waitFor();
    await page.screenshot({ path: `docs/images/sandbox-${name}${variant}.jpg`, type: 'jpeg', quality: 50 });
    await page.close();
  }
}
await browser.close();
await scene.close();
