import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../../helpers/deliver';
import type { Random } from '../random';
import { ATTEMPTS, type Timing } from './config';
import type { Fleet } from './fleet';
import { CRASH_POINTS, now } from './log';
import type { ScheduledNotification } from './notifications';

/** The status of an attempt, or the reason why there was none. */
export type Outcome = number | 'no listener' | 'timed out' | 'connection lost';

/** The service’s view of a notification at the end. */
export interface Delivered {
  readonly notification: ScheduledNotification;
  /** The outcomes of all attempts, of all sequences. */
  readonly answers: readonly Outcome[];
  /** When the first 200 arrived; `undefined` when every attempt failed. */
  readonly acknowledgedAt: number | undefined;
}

/** The share of attempts in which the listener kills itself at one of its points. */
const CRASHING = 0.08;
/** The share of attempts during which some listener is killed from outside, after a delay. */
const KILLING = 0.06;
const KILL_WITHIN_MS = 150;
const LONGEST_WORK_MS = 80;

/** How to send a schedule. */
export interface Sending {
  readonly timing: Timing;
  /** Whether listeners are killed, or kill themselves, during deliveries. */
  readonly kills: boolean;
  /** Called with the number of each failed attempt, from 1. */
  readonly onFailure?: (attempt: number) => void;
}

/**
 * Sends the notifications by the service’s rules (document section 6.1): only 200 is a success, a timeout is a
 * failure, and after a failure there are up to five retries at intervals. The seed decides which listener gets an
 * attempt, how long the work takes and where the listener dies.
 */
export async function sendAll(
  fleet: Fleet,
  schedule: readonly ScheduledNotification[],
  random: Random,
  { timing: { intervalMs, deliveryTimeoutMs }, kills, onFailure }: Sending,
): Promise<Delivered[]> {
  const agent = new Agent({ keepAlive: false });
  const start = now();

  function killSomeone(...about: readonly number[]): void {
    if (!kills || random('kill', ...about) >= KILLING) return;
    const victim = Math.floor(random('victim', ...about) * 1000);
    setTimeout(() => fleet.kill(victim), random('moment', ...about) * KILL_WITHIN_MS);
  }

  return Promise.all(
    schedule.map(async (notification, index) => {
      const answers: Outcome[] = [];
      let acknowledgedAt: number | undefined;

      async function attempt(
        sequence: number,
        number: number,
        deadline = now() + deliveryTimeoutMs,
      ): Promise<Outcome> {
        const about = [index, sequence, number];
        const url = await fleet.urlOf(Math.floor(random('listener', ...about) * 1000), deadline);
        if (url === undefined) return 'no listener';
        const point = CRASH_POINTS[Math.floor(random('point', ...about) * CRASH_POINTS.length)] ?? '';
        const headers = {
          'x-work-ms': String(Math.floor(random('work', ...about) * LONGEST_WORK_MS)),
          'x-crash-at': kills && fleet.hasSpare && random('crash', ...about) < CRASHING ? point : '',
        };
        try {
          const { query, body } = notification;
          const answer = await deliver(url + query, body, { headers, timeoutMs: deliveryTimeoutMs, agent });
          return answer.status;
        } catch (error) {
          // The listener was already dead, so no listener has the notification. A load balancer would ask the next
          // one.
          if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') {
            await sleep(50);
            if (now() < deadline) return attempt(sequence, number, deadline);
          }
          return error instanceof Error && /Abort|Timeout/.test(error.name) ? 'timed out' : 'connection lost';
        }
      }

      async function sequence(at: number, sequence: number): Promise<void> {
        await sleep(Math.max(0, start + at - now()));
        for (let number = 0; number < ATTEMPTS; number += 1) {
          if (number > 0)
            await sleep(intervalMs * (0.95 + 0.1 * random('interval', index, sequence, number)));
          killSomeone(index, sequence, number);
          const answer = await attempt(sequence, number);
          answers.push(answer);
          if (answer !== 200) {
            onFailure?.(number + 1);
            continue;
          }
          acknowledgedAt ??= now();
          return;
        }
      }

      await Promise.all(notification.deliveriesAt.map(sequence));
      return { notification, answers, acknowledgedAt };
    }),
  );
}
