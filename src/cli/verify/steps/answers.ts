import { Buffer } from 'node:buffer';
import { SHORTEST_SECRET } from '../../../sandbox/credentials';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import { describe } from '../send';
import type { Step } from '../step';
import type { Script, World } from '../world';

type Found = NonNullable<Step['found']>;

/** Looks at all responses of the run: their status, their time, and what is in them. */
export async function* answers(world: World): Script {
  for (const [id, found] of [
    ['status', otherStatuses(world)],
    ['prompt', lateAnswers(world)],
    ['workFirst', earlyAnswers(world)],
    ['secrets', secretsIn(world)],
  ] as const) {
    const open = id === 'workFirst' && !world.hasEffects ? { open: say('run.withoutEffects') } : {};
    yield { id, sends: [], ...open, ...(found.length > 0 ? { found } : {}) };
  }
}

/** After any other 2xx the service sends the notification again. */
function otherStatuses({ sender }: World): Found {
  const accepted = sender.exchanges.filter(
    ({ reception, send }) => reception === 'accepted' && send.accept !== 'mustNot',
  );
  const others = new Map(accepted.flatMap((one) => (one.httpStatus === 200 ? [] : [[one.httpStatus, one]])));
  return [...others.values()].map((one) => [
    'answers.status',
    { what: one.send.what, answer: describe(one) },
  ]);
}

function lateAnswers({ sender, limitMs }: World): Found {
  const late = sender.exchanges.filter(
    ({ durationMs, reception }) => reception === 'silent' || durationMs > limitMs,
  );
  const [worst] = late.toSorted((one, other) => other.durationMs - one.durationMs);
  if (worst === undefined) return [];
  const { durationMs, send } = worst;
  const all = sender.exchanges.length;
  return [['answers.late', { late: late.length, all, limitMs, what: send.what, durationMs }]];
}

/** Once may be chance: the rows are read over another connection. */
function earlyAnswers({ outcomes }: World): Found {
  const late = outcomes.filter(({ isLate }) => isLate).length;
  return late > 1 ? [['answers.early', { late }]] : [];
}

function secretsIn({ sender, credentials: { apiKey, apiToken } }: World): Found {
  const pair = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
  const secrets: [TextKey, string][] = [
    ['answers.token', apiToken],
    ['answers.key', apiKey],
    ['answers.base64', pair],
  ];
  return secrets.flatMap(([problem, secret]): Found => {
    // A shorter one, such as `k`, is in every text.
    if (secret.length < SHORTEST_SECRET) return [];
    const leak = sender.exchanges.find(({ text, headers }) =>
      [text, ...headers].some((part) => part.includes(secret)),
    );
    return leak === undefined ? [] : [[problem, { what: leak.send.what }]];
  });
}
