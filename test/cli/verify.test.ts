import type { Notification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { type Mistake, startLibraryListener, startListener, startRecorder } from './listeners';
import { credentials, runCli } from './run-cli';

interface Report {
  to: string;
  credentials: string;
  ok: boolean;
  passed: number;
  failed: number;
  notChecked: number;
  checks: { id: string; verdict: string; problems: string[]; open: string[]; fix?: string }[];
}

async function verify(...args: string[]) {
  const { status, stdout, stderr } = await runCli(['verify', '--json', ...args]);
  expect(stderr).toBe('');
  const report: Report = JSON.parse(stdout);
  const ids = (verdict: string) =>
    report.checks.filter((check) => check.verdict === verdict).map(({ id }) => id);
  return { status, report, failed: ids('failed'), notChecked: ids('not-checked') };
}

/** With the count of what was done, which is how everything can be checked. */
function verifyWithEffects({ url, effects }: { url: string; effects: string }, ...args: string[]) {
  return verify('--to', url, '--effects', effects, '--effects-wait', '200', ...args);
}

const isUnrecognized = ({ kind }: Notification) => kind === 'unrecognized';

/** The obvious key, which swallows the refunds of a sale. */
function saleTokenOf({ raw, key }: Notification): string {
  return typeof raw['saleToken'] === 'string' ? raw['saleToken'] : key;
}

describe.concurrent('verify', () => {
  it('passes the listener of this library, in every check', async () => {
    const { status, report, failed, notChecked } = await verifyWithEffects(
      await startLibraryListener(credentials),
    );
    expect({ failed, notChecked }).toEqual({ failed: [], notChecked: [] });
    expect(report).toMatchObject({
      ok: true,
      passed: 10,
      failed: 0,
      notChecked: 0,
      credentials: 'environment',
    });
    expect(status).toBe(0);
  });

  it('passes a listener written by hand that makes no mistake', async () => {
    const { status, failed, notChecked } = await verifyWithEffects(await startListener(credentials));
    expect({ status, failed, notChecked }).toEqual({ status: 0, failed: [], notChecked: [] });
  });

  const mistakes: [name: string, check: string, mistake: Mistake][] = [
    ['checks no credentials', 'credentials', { checksNoCredentials: true }],
    ['checks the key alone', 'credentials', { checksOnly: 'key' }],
    ['checks the token alone', 'credentials', { checksOnly: 'token' }],
    ['deduplicates on saleToken', 'one-sale', { keyOf: saleTokenOf }],
    ['answers 202', 'status-200', { success: 202 }],
    ['answers 204', 'status-200', { success: 204 }],
    ['fails on unknown kinds', 'unknown-kinds', { failsOn: isUnrecognized }],
    ['ends its process on unknown kinds', 'unknown-kinds', { diesOn: isUnrecognized }],
    ['acts again on duplicates', 'duplicates', { remembersNothing: true }],
    ['acts again on duplicates at the same time', 'duplicates', { claimsLate: true }],
    ['refuses payouts', 'kinds', { failsOn: ({ kind }) => kind === 'payout' }],
    ['ends its process on payouts', 'kinds', { diesOn: ({ kind }) => kind === 'payout' }],
    ['refuses fields it does not know', 'unknown-fields', { failsOn: ({ raw }) => 'sandboxText' in raw }],
  ];
  it.each(mistakes)(
    'fails a listener that %s in the check `%s`, and in no other',
    async (_name, check, mistake) => {
      const { status, report, failed } = await verifyWithEffects(await startListener(credentials, mistake));
      expect(failed).toEqual([check]);
      expect(status).toBe(1);
      const { problems, fix } = report.checks.find(({ id }) => id === check) ?? {};
      expect(problems).not.toEqual([]);
      expect(fix).toMatch(/document section/);
    },
  );

  it('fails a listener that is slow in the check `prompt`, and in no other', async () => {
    const { url } = await startListener(credentials, { delayMs: 100 });
    const { status, failed } = await verify('--to', url, '--limit', '80');
    expect(failed).toEqual(['prompt']);
    expect(status).toBe(1);
  });

  it('fails a listener that never answers in the check `prompt`, and ends soon', async () => {
    const { url } = await startListener(credentials, { delayMs: 60_000 });
    const { status, failed, report } = await verify('--to', url, '--limit', '50');
    expect(failed).toEqual(['prompt']);
    expect(status).toBe(1);
    expect(report.passed).toBe(0);
  });

  it('reports what needs the count as not checked without it, rather than passed', async () => {
    const { url } = await startListener(credentials, { keyOf: saleTokenOf });
    const { status, failed, notChecked, report } = await verify('--to', url);
    expect(failed).toEqual([]);
    expect(notChecked).toEqual(['duplicates', 'one-sale']);
    expect(report.checks.find(({ id }) => id === 'duplicates')?.open.join()).toContain('--effects');
    expect(status).toBe(0);
  });

  it('notices deduplication on saleToken without the count, where answers tell duplicates', async () => {
    const { url } = await startListener(credentials, { keyOf: saleTokenOf, saysDuplicate: true });
    expect((await verify('--to', url)).failed).toEqual(['one-sale']);
  });

  it('makes no such guess about a right listener whose answers tell duplicates', async () => {
    const { url } = await startListener(credentials, { saysDuplicate: true });
    expect((await verify('--to', url)).failed).toEqual([]);
  });

  it('says that a listener which refuses the right credentials cannot be checked', async () => {
    const { url } = await startRecorder(401);
    const { failed, notChecked } = await verify('--to', url);
    expect(failed).toEqual(['reachable']);
    expect(notChecked).toHaveLength(8);
  });

  it('prints a report for people, with what to fix', async () => {
    const { url } = await startListener(credentials, { success: 202 });
    const { status, stdout } = await runCli(['verify', '--to', url]);
    expect(status).toBe(1);
    expect(stdout).toContain('✓ Rejects missing and wrong credentials');
    expect(stdout).toMatch(/✗ Says yes with 200 and nothing else\n {6}.*HTTP 202/);
    expect(stdout).toMatch(/Fix: Answer 200/);
    expect(stdout).toMatch(/– Acts once on duplicates, and accepts them: not checked/);
    expect(stdout).toMatch(/7 passed, 1 failed, 2 not checked\.\n$/);
    expect(stdout, 'no colour without a terminal').not.toContain('\u001b');
  });

  it.each([['"many"'], ['[{}]'], ['no JSON']])(
    'refuses a count that is none (%s) before it sends anything',
    async (answer) => {
      const { url, received } = await startRecorder(200);
      const counter = await startRecorder(200, answer);
      const { status, stderr } = await runCli(['verify', '--to', url, '--effects', counter.url]);
      expect(status).toBe(2);
      expect(stderr).toContain('Expected `--effects` to answer 200 with the number of actions');
      expect(received).toEqual([]);
    },
  );
});
