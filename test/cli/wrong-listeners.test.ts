import { readFileSync, writeFileSync } from 'node:fs';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/cli/verify/check';
import { inParallel } from './listeners/in-parallel';
import { pair } from './listeners/merchant';
import { rightListeners } from './listeners/right-listeners';
import { verifyListener } from './listeners/verify-listener';
import { wrongListeners } from './listeners/wrong-listeners';
import { verifyPage } from './verify-page';

/** A run mostly waits for things that do not come, so many run at a time. */
const AT_A_TIME = 20;

type Listener = (typeof wrongListeners | typeof rightListeners)[number];

const page = new URL('../../docs/verify.md', import.meta.url);
let results: Map<Listener, PromiseSettledResult<CheckResult[]>>;

beforeAll(async () => {
  results = await inParallel<Listener, CheckResult[]>(
    AT_A_TIME,
    [...rightListeners, ...wrongListeners],
    verifyOne,
  );
}, 300_000);

async function verifyOne(listener: Listener): Promise<CheckResult[]> {
  const limitMs = 'limitMs' in listener ? listener.limitMs : undefined;
  if (!listener.asksService) return verifyListener(await listener.start(''), { limitMs });
  // Each listener has its own sandbox, because a check lets the sandbox answer with errors for a while.
  const sandbox = await startSandbox({ credentials: pair });
  try {
    return await verifyListener(await listener.start(sandbox.url), { limitMs, sandbox: sandbox.url });
  } finally {
    await sandbox.close();
  }
}

describe('verify finds a listener that', () => {
  it.each(wrongListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const failed = resultOf(listener).filter(({ verdict }) => verdict === 'failed');
    expect(failed.map(({ id }) => id).toSorted(), JSON.stringify(failed, undefined, 1)).toEqual(
      listener.fails.toSorted(),
    );
    expect(failed.find(({ id }) => id === listener.fails[0])?.fix).toMatch(listener.advice);
  });

  it('is one of at least 40 different ones', () => {
    expect(new Set(wrongListeners.map(({ does }) => does)).size).toBe(wrongListeners.length);
    expect(wrongListeners.length).toBeGreaterThanOrEqual(40);
  });
});

describe('verify passes, with nothing left unchecked that it can check, a listener that', () => {
  it.each(rightListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const others = resultOf(listener).filter(({ verdict }) => verdict !== 'passed');
    // Only with a sandbox can verify see whether a listener confirms payments.
    const open = listener.asksService ? [] : [['confirms', 'not-checked']];
    expect(
      others.map(({ id, verdict }) => [id, verdict]),
      JSON.stringify(others, undefined, 1),
    ).toEqual(open);
  });
});

it('docs/verify.md shows each check and each wrong listener as they are', () => {
  const rows = wrongListeners.map((listener) => {
    const naming = resultOf(listener).find(({ id }) => id === listener.fails[0]);
    return { does: listener.does, check: listener.fails[0] ?? '', advice: naming?.fix ?? '' };
  });
  const before = readFileSync(page, 'utf8');
  const after = verifyPage(before, rows);
  if (process.env['UPDATE_DOCS']) writeFileSync(page, after);
  // Out of date? UPDATE_DOCS=1 npx vitest run test/cli/wrong-listeners.test.ts
  else expect(before).toBe(after);
});

function resultOf(listener: Listener): CheckResult[] {
  const result = results.get(listener);
  if (result?.status !== 'fulfilled') throw result?.reason;
  return result.value;
}
