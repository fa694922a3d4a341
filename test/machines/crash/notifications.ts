import type { Random } from '../random';

/** A notification, and when its deliveries begin. */
export interface ScheduledNotification {
  readonly subject: string;
  readonly state: string;
  readonly query: string;
  readonly body: object;
  /** The starts of its sequences of attempts, in milliseconds after the start of the run. */
  readonly deliveriesAt: readonly number[];
}

/** The order of a subject’s states: the merchant lets no late `PENDING` undo a `PAID`. */
const RANKS: Readonly<Record<string, number>> = {
  PENDING: 0,
  'false:PENDING': 0,
  PAID: 1,
  CANCELLED: 1,
  'true:PAID': 1,
  REVERSAL: 2,
};

export function rankOf(state: string): number {
  return RANKS[state] ?? 0;
}

export function isOvertaken(state: string, handledStates: readonly string[]): boolean {
  return handledStates.some((handled) => rankOf(handled) > rankOf(state));
}

/**
 * About `count` notifications over `durationMs`: paid sales, some reversed later; reversals whose end comes before or
 * after their beginning; partial refunds with the same saleToken; payouts that fail and then succeed. Some are sent
 * twice or three times, at once or later.
 */
export function scheduleNotifications(
  random: Random,
  count: number,
  durationMs: number,
): ScheduledNotification[] {
  const notifications: ScheduledNotification[] = [];

  for (let index = 0; notifications.length < count; index += 1) {
    const start = random('start', index) * durationMs;
    const add = (kind: string, id: string, state: string, query: string, body: object) => {
      const deliveriesAt = deliveries(random, start, index, notifications.length);
      notifications.push({ subject: `${kind}:${id}`, state, query, body, deliveriesAt });
    };
    const kind = ['payment', 'reversal', 'refunds', 'payout'][Math.floor(random('kind', index) * 4)];
    const id = `${kind}-${index}`;

    if (kind === 'payment') {
      add('payment', id, 'PAID', '', { saleToken: id, newStatus: 'PAID' });
      if (random('reversed', index) < 0.3) {
        add('payment', id, 'REVERSAL', '', { saleToken: id, newStatus: 'REVERSAL' });
      }
    } else if (kind === 'reversal') {
      const query = '?reversing=true&type=reversing';
      const end = random('end', index) < 0.7 ? 'PAID' : 'CANCELLED';
      add('reversal', id, 'PENDING', query, { uuid: id, status: 'PENDING' });
      add('reversal', id, end, query, { uuid: id, status: end });
    } else if (kind === 'refunds') {
      const parts = 1 + Math.floor(random('parts', index) * 3);
      for (let part = 0; part < parts; part += 1) {
        const uuid = `${id}-${part}`;
        const body = { saleToken: id, status: 'PAID', refund: { uuid, status: 'PAID' } };
        add('refund', uuid, 'PAID', '?refund=true&type=refund', body);
      }
    } else {
      if (random('failed', index) < 0.5) {
        const body = { uuid: id, success: false, status: 'PENDING', error_code: 'PE0001' };
        add('payout', id, 'false:PENDING', '?payout=true', body);
      }
      add('payout', id, 'true:PAID', '?payout=true&type=payout', {
        uuid: id,
        success: true,
        status: 'PAID',
      });
    }
  }
  return notifications;
}

/** The states of a subject are sent so close together that either may arrive first. */
function deliveries(random: Random, start: number, subject: number, notification: number): number[] {
  const first = start + random('delay', subject, notification) * 400;
  const copies = random('copies', notification);
  const at = [first];
  if (copies < 0.3) at.push(first + (copies < 0.15 ? 0 : random('copy', notification) * 2000));
  if (copies < 0.05) at.push(first + 5);
  return at;
}

/** Payments that are each sent once, all at the same time. */
export function paymentsAtOnce(prefix: string, count: number): ScheduledNotification[] {
  return Array.from({ length: count }, (_, index) => {
    const saleToken = `${prefix}-${index}`;
    const body = { saleToken, newStatus: 'PAID' };
    return { subject: `payment:${saleToken}`, state: 'PAID', query: '', body, deliveriesAt: [0] };
  });
}
