import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { isBlockedPort } from '../../../src/sandbox/server/blocked-ports';

/** The ports below 11,000 that this machine's `fetch` refuses without a call. */
async function refusedPorts(): Promise<number[]> {
  const refused: number[] = [];
  for (let port = 1; port < 11_000; port++) {
    if (!isBlockedPort(port)) continue;
    const failure = await fetch(`http://127.0.0.1:${port}/`).catch((error) => error);
    if (failure.cause?.message === 'bad port') refused.push(port);
  }
  return refused;
}

describe('a port that `fetch` refuses to call', () => {
  it('is one that its list names', async () => {
    const listed = Array.from({ length: 11_000 }, (_, port) => port).filter(isBlockedPort);
    expect(listed.length).toBeGreaterThan(70);
    expect(await refusedPorts()).toEqual(listed);
  });

  it('is refused for the sandbox, because nobody could reach it there', () => {
    return expect(startSandbox({ port: 6667 })).rejects.toThrow('refuse to call this one');
  });
});
