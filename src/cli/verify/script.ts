import { answers } from './steps/answers';
import { begin } from './steps/begin';
import { bodies } from './steps/bodies';
import { confirms } from './steps/confirms';
import { credentials } from './steps/credentials';
import { duplicates } from './steps/duplicates';
import { fields } from './steps/fields';
import { meanings } from './steps/meanings';
import { afterRestart, laterCharge, recurrence, secondPayment } from './steps/orders';
import { payments } from './steps/payments';
import { returns } from './steps/returns';
import type { Script, World } from './world';

/** How a run ended. */
export interface End {
  /** Why it ended before its last step. */
  readonly ended?: string;
  /** What it could not see. */
  readonly notSeen: readonly string[];
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
  const isLeftOpen = yield* confirms(world);
  yield* laterCharge(paid[0] ?? first);
  const isUnseen = world.shop === undefined || (yield* secondPayment(world, first));
  if (world.shop !== undefined) yield* recurrence(paid[1] ?? first);
  yield* meanings(world, first);
  yield* credentials(world);
  yield* afterRestart(world, first);
  yield* answers(world);
  return {
    notSeen: [
      'several processes that come and go, and two that get the same notification at the same moment.',
      'keys that expire after minutes or days: the service sends a notification again for minutes, and nothing says that none comes later.',
      'a database that fails between the booking and its commit.',
      ...(isLeftOpen
        ? [
            'what becomes of a payment that the service does not confirm yet and your listener answers 200 to: it is not sent again.',
          ]
        : []),
      ...(world.restart === undefined
        ? ['what the listener still knows after a restart: pass --restart.']
        : []),
      ...(world.shop === undefined
        ? [
            'orders: which payment an order expects, and a second payment of it: pass --shop.',
            'the life of a recurrence, such as a charge that fails, whose events the public pages of the service show and its document does not: pass --shop.',
          ]
        : isUnseen
          ? ['whether the second payment of an order, which has no row, reaches a person.']
          : []),
    ],
  };
}
