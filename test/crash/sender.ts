import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../helpers/deliver';
import { ATTEMPTS, DELIVERY_TIMEOUT_MS, INTERVAL_MS } from './config';
import type { Fleet } from './fleet';
import { CRASH_POINTS, now } from './log';
import type { ScheduledNotification } from './notifications';
import type { Random } from './seed';

/** How the service sees a notification in the end. */
export interface Delivered {
  readonly notification: ScheduledNotification;
  /** Every answer, of all its sequences: a status, or why there was none. */
  readonly answers: readonly (number | 'no answer')[];
  /** When the first 200 was there; undefined when every attempt failed. */
  readonly acknowledgedAt: number | undefined;
}

/** The share of attempts in which the listener kills itself, at one of the points. */
const CRASHING = 0.08;
/** The share of attempts in which some listener is killed from outside, so many milliseconds later. */
const KILLING = 0.06;
const KILL_WITHIN_MS = 150;
const LONGEST_WORK_MS = 80;

/**
 * Sends the notifications by the service's rules (document section 6.1): 200 is success, anything else and a time-out
 * is failure; after a failure, up to five retries at intervals. Who gets an attempt, how long the work takes and
 * where the listener dies is up to the seed.
 */
export async function sendAll(
  fleet: Fleet,
  schedule: readonly ScheduledNotification[],
  random: Random,
): Promise<Delivered[]> {
  const agent = new Agent({ keepAlive: false });
  const start = now();
  return Promise.all(
    schedule.map(async (notification, index) => {
      const answers: (number | 'no answer')[] = [];
      let acknowledgedAt: number | undefined;

      async function attempt(sequence: number, number: number): Promise<number | 'no answer'> {
        const about = [index, sequence, number];
        const slot = (purpose: string) => Math.floor(random(purpose, ...about) * 1000);
        const url = await fleet.urlOf(slot('listener'), DELIVERY_TIMEOUT_MS);
        if (url === undefined) return 'no answer';
        if (random('kill', ...about) < KILLING) {
          const victim = slot('victim');
          setTimeout(() => fleet.kill(victim), random('moment', ...about) * KILL_WITHIN_MS);
        }
        const point = CRASH_POINTS[Math.floor(random('point', ...about) * CRASH_POINTS.length)] ?? '';
        const headers = {
          'x-work-ms': String(Math.floor(random('work', ...about) * LONGEST_WORK_MS)),
          'x-crash-at': random('crash', ...about) < CRASHING ? point : '',
        };
        try {
          const { query, body } = notification;
          const answer = await deliver(url + query, body, { headers, timeoutMs: DELIVERY_TIMEOUT_MS, agent });
          return answer.status;
        } catch {
          return 'no answer';
        }
      }

      async function sequence(at: number, sequence: number): Promise<void> {
        await sleep(Math.max(0, start + at - now()));
        for (let number = 0; number < ATTEMPTS; number += 1) {
          if (number > 0)
            await sleep(INTERVAL_MS * (0.95 + 0.1 * random('interval', index, sequence, number)));
          const answer = await attempt(sequence, number);
          answers.push(answer);
          if (answer !== 200) continue;
          acknowledgedAt ??= now();
          return;
        }
      }

      await Promise.all(notification.deliveriesAt.map(sequence));
      return { notification, answers, acknowledgedAt };
    }),
  );
}
