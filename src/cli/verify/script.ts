import type { TextKey } from '../texts';
import { answers } from './steps/answers';
import { begin } from './steps/begin';
import { bodies } from './steps/bodies';
import { confirms } from './steps/confirms';
import { credentials } from './steps/credentials';
import { duplicates } from './steps/duplicates';
import { fields } from './steps/fields';
import { meanings } from './steps/meanings';
import { afterRestart, secondPayment } from './steps/orders';
import { payments } from './steps/payments';
import { returns } from './steps/returns';
import type { Script, World } from './world';

/** How a run ended. */
export interface End {
  /** Why it ended before its last step. */
  readonly ended?: string;
  /** What it could not see. */
  readonly notSeen: readonly TextKey[];
}

/**
 * The whole run. Each group sends what stands on the groups before it: `begin` shows that anything can be judged,
 * `meanings` may crash the listener, and after the wrong pairs of `credentials` it may lock us out.
 */
export async function* script(world: World): Script<End> {
  const first = yield* begin(world);
  if (typeof first === 'string') return { ended: first, notSeen: [] };
  const paid = yield* payments(world);
  const returned = yield* returns(world, paid);
  yield* fields(world, paid);
  yield* bodies(world);
  yield* duplicates(world, first, paid, returned);
  yield* confirms(world);
  const isUnseen = world.shop === undefined || (yield* secondPayment(world, first));
  yield* meanings(world, first);
  yield* credentials(world);
  yield* afterRestart(world, first);
  yield* answers(world);
  return {
    notSeen: [
      'notSeen.processes',
      'notSeen.keys',
      'notSeen.database',
      ...(world.restart === undefined ? (['notSeen.restart'] as const) : []),
      ...(world.shop === undefined
        ? (['notSeen.orders'] as const)
        : isUnseen
          ? (['notSeen.secondPayment'] as const)
          : []),
    ],
  };
}
