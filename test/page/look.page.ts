import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isSkipped } from './browser';
import { press, useBrowser } from './open-page';
import type { openScene } from './scene';

/** Fills and unfolds every part of the page. */
async function fill(
  { create, sandbox, answerWith, call }: Awaited<ReturnType<typeof openScene>>,
  page: Page,
) {
  sandbox.cancelTransaction(await create({ referenceCode: 'order-1000' }));
  const uuid = await create({ referenceCode: 'a-very-long-reference-'.repeat(6), shopper: { docment: 1 } });
  answerWith(503);
  sandbox.pay(uuid);
  sandbox.refund(uuid, { amount: 1 });
  sandbox.reverse(uuid, { amount: 1 });
  sandbox.fault('getTransaction', { kind: 'status', status: 500, times: 9 });
  await call('GET', '/v1.1/transactions/nope');
  await page.evaluate(`location.hash = 'sales/${uuid}'`);
  await page.getByText('HTTP 503').first().waitFor();
}

async function unfold(page: Page) {
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
  await page.waitForTimeout(300);
}

/** What a finger has to hit, smaller than 44 px. Checkboxes are hit by their label, links in a sentence are text. */
const TOO_SMALL = `[...document.querySelectorAll('button, input:not([type=checkbox]), select, summary, nav a, .items a, .flag')]
  .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 43.5)
  .map((element) => element.outerHTML.slice(0, 120))`;

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run(document)',
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

describe.skipIf(isSkipped)('the page', () => {
  const open = useBrowser();

  it.each([
    ['en-US', 'Sales', 'Deliveries'],
    ['pt-BR', 'Vendas', 'Entregas'],
    ['pt-PT', 'Vendas', 'Entregas'],
    ['de-DE', 'Sales', 'Deliveries'],
  ])('has in a browser of %s the tab "%s"', async (locale, sales, deliveries) => {
    const { page } = await open({ context: { locale } });
    await page.getByRole('link', { name: sales }).waitFor();
    await page.getByRole('link', { name: deliveries }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(sales === 'Vendas' ? 'pt-BR' : 'en');
  });

  it('switches its language, and remembers it', async () => {
    const { page } = await open();
    await press(page, 'Português');
    await page.getByRole('link', { name: 'Falhas' }).waitFor();
    expect(await page.title()).toBe('Sandbox do Pix Automático');
    await page.reload();
    await page.getByRole('link', { name: 'Falhas' }).waitFor();
    await press(page, 'English');
    await page.getByRole('link', { name: 'Faults' }).waitFor();
  });

  it.each([
    ['en-US', 'light', 1280],
    ['en-US', 'dark', 1280],
    ['pt-BR', 'light', 360],
    ['pt-BR', 'dark', 360],
  ] as const)(
    'has no finding of axe, and does not scroll sideways: %s, %s, %i px',
    async (locale, colorScheme, width) => {
      const { page, scene } = await open({
        context: { locale, colorScheme, viewport: { width, height: 800 } },
      });
      await fill(scene, page);
      for (const place of ['', 'sales', 'deliveries', 'calls', 'faults', 'send', 'listener']) {
        if (place !== '') await page.evaluate(`location.hash = '${place}'`);
        await unfold(page);
        // The page’s policy forbids what axe needs, so axe runs through the debugger and not as a script of the page.
        expect(await violations(page), place).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), place).toBeLessThanOrEqual(width);
        expect(await page.evaluate(TOO_SMALL), place).toEqual([]);
      }
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'dark' ? 'rgb(16, 22, 21)' : 'rgb(245, 247, 246)');
    },
  );

  it('can be used with the keyboard alone', async () => {
    const { page, create, sandbox } = await open();
    await create();
    const pay = page.getByRole('button', { name: 'Pay: order-1001' });
    await pay.waitFor();
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")');
      if (focused === 'Pay: order-1001') break;
    }
    await page.keyboard.press('Enter');
    await page.getByText('The payer paid').waitFor();
    expect(sandbox.transactions[0]?.situation).toBe('PAID');
  });

  it('says when the sandbox is gone', async () => {
    const { page, sandbox } = await open();
    await page.getByText('Live', { exact: true }).waitFor();
    await sandbox.close();
    await page.getByText('The sandbox does not answer').waitFor();
  });
});
