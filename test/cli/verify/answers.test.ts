import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/cli/verify/send';
import type { Step } from '../../../src/cli/verify/step';
import { answers } from '../../../src/cli/verify/steps/answers';
import type { World } from '../../../src/cli/verify/world';

/** The step about the time of responses that took this long, in milliseconds. The limit is 500. */
async function prompt(...durations: readonly (number | 'silent')[]): Promise<Step | undefined> {
  const exchanges = durations.map((duration): Partial<Exchange> => {
    const isSilent = duration === 'silent';
    const send = { what: 'a payment' } as Exchange['send'];
    const reception = isSilent ? 'silent' : 'accepted';
    return {
      durationMs: isSilent ? 1_500 : duration,
      reception,
      send,
      httpStatus: 200,
      text: '',
      headers: [],
    };
  });
  const credentials = { apiKey: 'a-key-of-a-test', apiToken: 'a-token-of-a-test' };
  const world = { sender: { exchanges }, limitMs: 500, outcomes: [], hasEffects: true, credentials };
  const steps = answers(world as unknown as World);
  for (let next = await steps.next(); !next.done; next = await steps.next())
    if (next.value.id === 'prompt') return next.value;
  return undefined;
}

describe('of the responses that came too late', () => {
  it('one of many is a warning', async () => {
    const step = await prompt(20, 600, 30);
    expect(step?.found).toBeUndefined();
    expect(step?.warning).toBe(
      '1 of 3 responses took longer than 500 ms; the slowest: a payment after 600 ms',
    );
  });

  it.each([
    ['two are a fault', [600, 20, 700], '2 of 3'],
    ['one that never came is a fault', [20, 'silent', 30], '1 of 3'],
  ] as const)('%s', async (_what, durations, count) => {
    const step = await prompt(...durations);
    expect(step?.warning).toBeUndefined();
    expect(step?.found?.join()).toContain(`${count} responses took longer`);
  });

  it('none is no word', async () => {
    expect(await prompt(20, 500)).toEqual({ id: 'prompt', sends: [] });
  });
});
