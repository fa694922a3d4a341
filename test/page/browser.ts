import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Where Chromium is, if it is there. */
const chromiumPath = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

/** Without Chromium the tests are skipped, save where nothing may be. */
export const isSkipped = chromiumPath === undefined && process.env['CI_REQUIRE_SERVERS'] !== '1';

/** The browser of this machine; no download. */
export function launch(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error('There is no Chromium at /usr/bin/chromium. Install it, or set CHROMIUM_PATH.');
  }
  return chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}
