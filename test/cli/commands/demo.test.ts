import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { runCli } from '../run-cli';

const runDemo = (...args: string[]) => runCli(['demo', ...args], {});

/** Reads the picture back: each character is two squares, one above the other, and light squares are printed. */
function readPicture(stdout: string): boolean[][] {
  const rows = stdout.split('\n').filter((row) => /[█▀▄]/.test(row));
  return rows.flatMap((row) => {
    const squares = [...row.slice(3)];
    return [
      squares.map((square) => square !== '█' && square !== '▀'),
      squares.map((square) => square !== '█' && square !== '▄'),
    ];
  });
}

describe.concurrent('demo', { timeout: 60_000 }, () => {
  it('runs every step without any credentials, says so, and ends with status 0', async () => {
    const { status, stdout, stderr } = await runDemo();
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const uuid = /transaction\s+([0-9a-f-]{36})/.exec(stdout)?.[1];
    expect(uuid).toBeDefined();
    expect(stdout).toMatch(/credentials\s+verified/);
    expect(stdout).toMatch(new RegExp(`key\\s+payment:${uuid}:PAID`));
    expect(stdout).toMatch(/answered\s+HTTP 200 after \d+ ms/);
    expect(stdout).toMatch(/forged one\s+HTTP 401, not acted on/);
    expect(stdout).toMatch(/situation\s+PAID/);
    expect(stdout).toMatch(/answer\s+0 success/);
    expect(stdout).toMatch(/code\s+api_error/);
    expect(stdout).toMatch(/outcome\s+refused/);
    expect(stdout).toMatch(/message\s+\S+/);
    expect(stdout).toMatch(/first call\s+connection_failed, outcome unknown/);
    expect(stdout).toMatch(/two more\s+2 calls at once, 1 QR code/);
    expect(stdout).toMatch(/attempt 1\s+(demo-journal-\d+): lost\n\s+attempt 2\s+\1-2: created/);
    expect(stdout).toContain('All seven steps went as they should');
    expect(stdout).not.toContain('demo-api-token');
    expect(stdout, 'no colour without a terminal').not.toContain('\u001b');
  });

  it('prints a picture that holds the QR code of the response', async () => {
    const { stdout } = await runDemo();
    const text = /copy & paste\s+(\S.*)/.exec(stdout)?.[1] ?? '';
    const { data } = encode(text, { ecc: 'L', border: 2 });
    expect(readPicture(stdout).slice(0, data.length)).toEqual(data);
  });

  it('prints its steps as JSON', async () => {
    const { stdout } = await runDemo('--json');
    const { ok, steps } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(steps).toHaveLength(7);
    expect(steps[3].lines).toContainEqual({ label: 'situation', value: 'PAID' });
  });

  it.each([
    ['create', 'HTTP 502'],
    ['notification', 'a verified payment notification'],
    ['query', '999'],
    ['cancel', 'HTTP 504'],
    ['refusal', 'outcome `refused`'],
    ['journal', 'a lost answer'],
  ])('ends with status 1 when step `%s` goes wrong', async (step, message) => {
    const { status, stdout, stderr } = await runDemo('--break', step);
    expect(status).toBe(1);
    expect(stderr).toContain('The demo failed: ');
    expect(stderr).toContain(message);
    expect(stdout).not.toContain('All seven steps');
  });
});
