import type { SandboxOptions } from 'pix-automatic-sdk/sandbox';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import type { Verify } from '../../src/sandbox/page/page-state';
import { launch } from './browser';
import { openScene } from './scene';

/** One browser per file. Each test has its own sandbox and profile. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  return async function open(
    options: { sandbox?: SandboxOptions; verify?: Verify; context?: BrowserContextOptions } = {},
  ) {
    const scene = await openScene({ retryIntervalMs: 60_000, ...options.sandbox }, options.verify);
    const { apiKey, apiToken } = scene.sandbox.credentials;
    const context = await browser.newContext({
      // The browser’s answer when the page asks for the pair.
      httpCredentials: { username: apiKey, password: apiToken },
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options.context,
    });
    onTestFinished(async () => {
      await context.close();
      await scene.close();
    });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(scene.sandbox.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return { ...scene, context, page, problems, scene };
  };
}

/** Clicks the button with this name. */
export function press(page: Page, name: string | RegExp) {
  return page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
}

export function clipboard(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()');
}

/** Checks again and again until it holds. */
export function until(check: () => void | Promise<void>) {
  return vi.waitFor(check, { timeout: 10_000, interval: 50 });
}
