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

/** The path of Chromium, or `undefined`. */
const chromiumPath = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

/** Without Chromium the tests are skipped, except where nothing may be skipped. */
export const isSkipped = chromiumPath === undefined && process.env['CI_REQUIRE_SERVERS'] !== '1';

/** Starts the browser of this machine; nothing is downloaded. */
export function launch(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error('There is no Chromium at /usr/bin/chromium. Install it, or set CHROMIUM_PATH.');
  }
  return chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}
