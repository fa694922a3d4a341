import { Buffer } from 'node:buffer';
import { SHORTEST_SECRET } from '../../../sandbox/credentials';
import { line } from '../../visible';
import { describe } from '../send';
import type { Step } from '../step';
import type { Script, World } from '../world';

/** Looks at all responses of the run: their status, their time, and what is in them. */
export async function* answers(world: World): Script {
  const found = (problems: readonly string[]) => (problems.length > 0 ? { found: problems } : {});
  yield { id: 'status', sends: [], ...found(otherStatuses(world)) };
  yield { id: 'prompt', sends: [], ...lateAnswers(world) };
  const open = { open: 'responses do not show what the listener books: pass --effects' };
  yield { id: 'workFirst', sends: [], ...(world.hasEffects ? found(earlyAnswers(world)) : open) };
  yield { id: 'secrets', sends: [], ...found(secretsIn(world)) };
}

/** After any other 2xx the service sends the notification again. */
function otherStatuses({ sender }: World): string[] {
  const accepted = sender.exchanges.filter(
    ({ reception, send }) => reception === 'accepted' && send.accept !== 'mustNot',
  );
  const others = new Map(accepted.flatMap((one) => (one.httpStatus === 200 ? [] : [[one.httpStatus, one]])));
  return [...others.values()].map((one) => `${one.send.what}: ${describe(one)}`);
}

/** One of many is a warning: a connection pool that opens, or a collection of garbage. */
function lateAnswers({ sender, limitMs }: World): Pick<Step, 'found' | 'warning'> {
  const { exchanges } = sender;
  // One that never came made its own step fail, save where a refusal was right, too.
  const late = exchanges.filter(
    ({ durationMs, reception, send }) =>
      durationMs > limitMs && (reception !== 'silent' || send.accept === 'may'),
  );
  const [worst] = late.toSorted((one, other) => other.durationMs - one.durationMs);
  if (worst === undefined) return {};
  const { durationMs, send, reception } = worst;
  const all = exchanges.length;
  const told = line`${late.length} of ${all} responses took longer than ${limitMs} ms; the slowest: ${send.what} after ${durationMs} ms`;
  return late.length > 1 || reception === 'silent' ? { found: [told] } : { warning: told };
}

/** Once may be chance: the rows are read over another connection. */
function earlyAnswers({ outcomes }: World): string[] {
  const late = outcomes.filter(({ isLate }) => isLate).length;
  return late > 1 ? [`${late} times the rows came only after the 200`] : [];
}

function secretsIn({ sender, credentials: { apiKey, apiToken } }: World): string[] {
  const pair = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
  const secrets: [what: string, secret: string][] = [
    ['token', apiToken],
    ['key', apiKey],
    ['Base64 of both', pair],
  ];
  return secrets.flatMap(([what, secret]): string[] => {
    // A shorter one, such as `k`, is in every text.
    if (secret.length < SHORTEST_SECRET) return [];
    const leak = sender.exchanges.find(({ text, headers }) =>
      [text, ...headers].some((part) => part.includes(secret)),
    );
    return leak === undefined ? [] : [`the ${what} is in the response to ${leak.send.what}`];
  });
}
