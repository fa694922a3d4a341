import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isSkipped } from './browser';
import { useBrowser } from './open-page';

/** WCAG 2.1 AA for text of this size. */
const LEAST = 4.5;

/** The contrast of a button's text with what is behind it, as the browser paints both. */
const CONTRAST = `(button) => {
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgb = (...colors) => {
    pixel.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      pixel.fillStyle = color;
      pixel.fillRect(0, 0, 1, 1);
    }
    return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = [];
  for (let element = button; element; element = element.parentElement)
    behind.unshift(getComputedStyle(element).backgroundColor);
  const back = luminance(rgb(...behind));
  const text = luminance(rgb(...behind, getComputedStyle(button).color));
  return (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05);
}`;

const contrastOf = new Function('button', `return (${CONTRAST})(button)`) as (button: unknown) => number;

/** Every button that can be pressed, at rest, under the mouse, pressed and focused: those that are hard to read. */
async function hardToRead(page: Page): Promise<string[]> {
  const found: string[] = [];
  let measured = 0;
  for (const button of await page.locator('button:visible:enabled').elementHandles()) {
    const name = `${await button.getAttribute('class')} "${await button.innerText()}"`;
    const measure = async (state: string) => {
      const contrast = await button.evaluate(contrastOf);
      if (!(contrast >= 1 && contrast <= 21)) throw new Error(`${contrast} is no contrast.`);
      measured++;
      if (contrast < LEAST) found.push(`${name} ${state}: ${contrast.toFixed(2)}`);
    };
    await page.mouse.move(0, 0);
    await measure('at rest');
    await button.focus();
    await measure('focused');
    await button.hover();
    await measure('under the mouse');
    await page.mouse.down();
    await measure('pressed');
    // Away before it is released, so that nothing is clicked.
    await page.mouse.move(0, 0);
    await page.mouse.up();
  }
  expect(measured).toBeGreaterThanOrEqual(8);
  return found;
}

/** The tabs with buttons, and what is there once a tab has its content. */
const tabs = {
  simulate: '[data-control=clear-faults]',
  listener: 'form[data-control=verify] button',
} as const;

const open = useBrowser();

describe.skipIf(isSkipped)('the text of every button can be read, in each state', () => {
  it.each(['light', 'dark'] as const)('in %s', async (colorScheme) => {
    const { page, create, sandbox } = await open({
      context: { colorScheme },
      verify: async () => ({ checks: [], ended: undefined, notSeen: [] }),
    });
    await page.getByText('orders.open').waitFor();
    expect(await hardToRead(page), 'before the first sale').toEqual([]);
    sandbox.pay(await create({ referenceCode: 'order-1000' }));
    const uuid = await create();
    await page.evaluate(`location.hash = 'sales/${uuid}'`);
    await page.getByRole('button', { name: 'Pay: order-1001' }).waitFor();
    expect(await hardToRead(page), 'a sale').toEqual([]);
    sandbox.pay(uuid);
    await page.getByRole('button', { name: /^Let it fail/ }).waitFor();
    expect(await hardToRead(page), 'a paid sale').toEqual([]);
    sandbox.fault('getTransaction', { kind: 'status', status: 500 });
    for (const [tab, content] of Object.entries(tabs)) {
      await page.evaluate(`location.hash = '${tab}'`);
      await page.locator(content).waitFor();
      expect(await hardToRead(page), tab).toEqual([]);
    }
  });
});
