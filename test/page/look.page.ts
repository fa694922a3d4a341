import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isSkipped } from './browser';
import { press, until, useBrowser } from './open-page';
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
  sandbox.charge(uuid);
  sandbox.charge(uuid, { fails: 'AM04', willRetry: true });
  sandbox.refund(uuid, { amount: 1 });
  sandbox.reverse(uuid, { amount: 1 });
  sandbox.fault('getTransaction', { kind: 'status', status: 500, times: 9 });
  await call('GET', '/v1.1/transactions/nope');
  await page.evaluate(`location.hash = 'sales/${uuid}'`);
  await page.getByText('HTTP 503').first().waitFor();
}

/** The tabs, each with something that is there once the tab has its content. */
const tabs = {
  sales: '.items li',
  deliveries: '.entry',
  calls: '.entry',
  simulate: 'form[data-control=set-fault]',
  listener: 'input[name=webhookUrl]',
} as const;

/** Opens every part that unfolds, and waits for the bodies that the page then asks for. */
async function unfold(page: Page) {
  await page.locator('.story:not(:has(.summary))').waitFor({ state: 'detached' });
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
  await page.locator('.unfold:not(:has(pre))').first().waitFor({ state: 'detached' });
}

const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');

/** What a finger has to hit, smaller than 44 px. Checkboxes are hit by their label, links in a sentence are text. */
const TOO_SMALL = `[...document.querySelectorAll('button, input:not([type=checkbox], [type=radio]), select, summary, nav a, .items a, .flag')]
  .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 43.5)
  .map((element) => element.outerHTML.slice(0, 120))`;

/** The findings of all rules of axe, or of some. */
async function violations(page: Page, ...rules: string[]): Promise<string[]> {
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) })})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** The rules of axe that look at colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

const open = useBrowser();

describe.skipIf(isSkipped)('the page', () => {
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
    await page.getByRole('link', { name: 'Simular' }).waitFor();
    expect(await page.title()).toBe('Sandbox do Pix Automático');
    await page.reload();
    await page.getByRole('link', { name: 'Simular' }).waitFor();
    await press(page, 'English');
    await page.getByRole('link', { name: 'Simulate' }).waitFor();
  });

  it.each([
    ['en-US', 1280],
    ['pt-BR', 360],
  ])(
    'has no finding of axe, in light and dark, and does not scroll sideways: %s, %i px',
    async (locale, width) => {
      const { page, scene } = await open({
        sandbox: { inventions: { recurrenceEvents: 'events' } },
        context: { locale, viewport: { width, height: 800 } },
      });
      await fill(scene, page);
      // The page’s policy forbids what axe needs, so axe runs through the debugger and not as a script of the page.
      await page.evaluate(axe.source);
      for (const place of ['story', ...Object.keys(tabs)]) {
        if (place in tabs) {
          await page.evaluate(`location.hash = '${place}'`);
          await page
            .locator(tabs[place as keyof typeof tabs])
            .first()
            .waitFor();
        }
        await unfold(page);
        expect(await page.evaluate('document.documentElement.scrollWidth'), place).toBeLessThanOrEqual(width);
        expect(await page.evaluate(TOO_SMALL), place).toEqual([]);
        expect(await violations(page), place).toEqual([]);
        expect(await background(page)).toBe('rgb(245, 247, 246)');
        await page.emulateMedia({ colorScheme: 'dark' });
        // Nothing but its colors changes in the dark.
        expect(await violations(page, ...COLOR_RULES), `${place}, dark`).toEqual([]);
        expect(await background(page)).toBe('rgb(16, 22, 21)');
        await page.emulateMedia({ colorScheme: 'light' });
      }
    },
  );

  it('can be used with the keyboard alone', async () => {
    const { page, create, sandbox } = await open();
    await create();
    await page.getByRole('link', { name: /order-1001/ }).focus();
    await page.keyboard.press('Enter');
    // The address now names the sale.
    const isOpen = 'location.hash.length > 10 && document.activeElement.matches(".actions")';
    await until(async () => expect(await page.evaluate(isOpen)).toBe(true));
    // Its first action is the next Tab.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Pay: order-1001');
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
