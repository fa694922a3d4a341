import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/cli/verify/send';
import type { Step } from '../../../src/cli/verify/step';
import { answers } from '../../../src/cli/verify/steps/answers';
import type { World } from '../../../src/cli/verify/world';

/** How long a response took, in milliseconds; or none came to what must be accepted, or what may be. */
type Duration = number | 'silent' | 'silent to what may be refused';

/** The step about the time of these responses. The limit is 500. */
async function prompt(...durations: readonly Duration[]): Promise<Step | undefined> {
  const exchanges = durations.map((duration): Partial<Exchange> => {
    const isSilent = typeof duration === 'string';
    const may = duration === 'silent to what may be refused' ? { accept: 'may' as const } : {};
    const send = { what: 'a payment', ...may } as Exchange['send'];
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
    ['one that never came is a fault', [20, 'silent to what may be refused', 30], '1 of 3'],
  ] as const)('%s', async (_what, durations, count) => {
    const step = await prompt(...durations);
    expect(step?.warning).toBeUndefined();
    expect(step?.found?.join()).toContain(`${count} responses took longer`);
  });

  it('none is no word, and neither is one whose own step failed because it never came', async () => {
    expect(await prompt(20, 500, 'silent')).toEqual({ id: 'prompt', sends: [] });
  });
});
