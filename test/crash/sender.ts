import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../helpers/deliver';
import { ATTEMPTS, type Timing } from './config';
import type { Fleet } from './fleet';
import { CRASH_POINTS, now } from './log';
import type { ScheduledNotification } from './notifications';
import type { Random } from './seed';

/** A status, or why there was none. */
export type Outcome = number | 'no listener' | 'timed out' | 'connection lost';

/** How the service sees a notification in the end. */
export interface Delivered {
  readonly notification: ScheduledNotification;
  /** What came of every attempt, of all its sequences. */
  readonly answers: readonly Outcome[];
  /** When the first 200 was there; undefined when every attempt failed. */
  readonly acknowledgedAt: number | undefined;
}

/** The share of attempts in which the listener kills itself, at one of the points. */
const CRASHING = 0.08;
/** The share of attempts in which some listener is killed from outside, so many milliseconds later. */
const KILLING = 0.06;
const KILL_WITHIN_MS = 150;
const LONGEST_WORK_MS = 80;

/** How a schedule is sent. */
export interface Sending {
  readonly timing: Timing;
  /** Whether listeners are killed, and kill themselves, as they get deliveries. */
  readonly kills: boolean;
  /** Told of each attempt's number, from 1, once it has failed. */
  readonly onFailure?: (attempt: number) => void;
}

/**
 * Sends the notifications by the service's rules (document section 6.1): 200 is success, anything else and a timeout
 * is failure; after a failure, up to five retries at intervals. Who gets an attempt, how long the work takes and
 * where the listener dies is up to the seed.
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
          // Nobody took it: the listener was dead already. A load balancer asks the next one.
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
