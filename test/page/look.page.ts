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
  await page.getByText('HTTP 503').first().waitFor();
  await page.getByText('getTransaction').first().waitFor();
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
}

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
    ['en-US', 'Journeys', 'Deliveries'],
    ['pt-BR', 'Jornadas', 'Entregas'],
    ['pt-PT', 'Jornadas', 'Entregas'],
    ['de-DE', 'Journeys', 'Deliveries'],
  ])('has in a browser of %s the heading "%s"', async (locale, journeys, deliveries) => {
    const { page } = await open({ context: { locale } });
    await page.getByRole('heading', { name: journeys }).waitFor();
    await page.getByRole('heading', { name: deliveries }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(
      journeys === 'Jornadas' ? 'pt-BR' : 'en',
    );
  });

  it('switches its language, and remembers it', async () => {
    const { page } = await open();
    await press(page, 'Português');
    await page.getByRole('heading', { name: 'Falhas simuladas' }).waitFor();
    expect(await page.title()).toBe('Sandbox do Pix Automático');
    await page.reload();
    await page.getByRole('heading', { name: 'Falhas simuladas' }).waitFor();
    await press(page, 'English');
    await page.getByRole('heading', { name: 'Faults' }).waitFor();
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
      // The page’s policy forbids what axe needs, so axe runs through the debugger and not as a script of the page.
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'dark' ? 'rgb(20, 24, 27)' : 'rgb(246, 247, 248)');
    },
  );

  it('can be used with the keyboard alone', async () => {
    const { page, create, sandbox } = await open();
    await create();
    const pay = page.getByRole('button', { name: 'Pay: order-1001' });
    await pay.waitFor();
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")');
      if (focused === 'Pay: order-1001') break;
    }
    await page.keyboard.press('Enter');
    await page.getByText('PAID').first().waitFor();
    expect(sandbox.transactions[0]?.situation).toBe('PAID');
  });

  it('says when the sandbox is gone', async () => {
    const { page, sandbox } = await open();
    await page.getByText('Live', { exact: true }).waitFor();
    await sandbox.close();
    await page.getByText('The sandbox does not answer').waitFor();
  });
});
