import { ConfigurationError } from '../errors/configuration-error';
import { cancelAuthorization } from '../recurrence/authorizations';
import { isText } from '../shared/objects';
import type { SingleRecords } from '../stores/steps';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { checkOrderKey, refusedCall } from './checks';
import { readOrder } from './order-records';
import { makesCalls } from './proof';
import { liveOf, recurrenceOf } from './recurrences';

/** What `orders.cancelRecurrence` takes. */
export interface CancelRecurrenceOptions {
  /** Why, for the service: a brief text. */
  readonly reason: string;
  /** That recurrence alone, such as the second one of a case `authorized_twice`. Default: each that has not ended. */
  readonly idRec?: string | undefined;
}

/** What `orders.cancelRecurrence` has done. */
export interface CancelledRecurrences {
  /** The `idRec` of each that the service has cancelled; none where no event has told of one. */
  readonly cancelled: readonly string[];
}

const NAMES: OptionNames<CancelRecurrenceOptions> = { reason: true, idRec: true };

/** Has the service cancel the recurrences of an order. All are tried, then the first error is thrown. */
export async function cancelRecurrences(
  client: object,
  records: SingleRecords,
  key: string,
  options: CancelRecurrenceOptions,
): Promise<CancelledRecurrences> {
  checkOrderKey('cancelRecurrence', key);
  const { reason, idRec } = readNamedOptions('cancelRecurrence', options, NAMES, 'key, ');
  if (!isText(reason)) {
    throw refusedCall('cancelRecurrence', 'reason', 'expected a brief text, for the service');
  }
  if (!makesCalls(client)) {
    throw new ConfigurationError(
      'Expected a `client` with `request`, as a `PaymentsClient` has it: the recurrence is cancelled by a call of its own.',
    );
  }
  const { order } = await readOrder(records, key);
  if (idRec !== undefined && recurrenceOf(order, idRec) === undefined) {
    throw refusedCall(
      'cancelRecurrence',
      'idRec',
      'expected one of `find({ key }).recurrences`: the order has no such recurrence',
    );
  }
  const cancelled: string[] = [];
  const errors: unknown[] = [];
  for (const each of idRec === undefined ? liveOf(order).map((live) => live.idRec) : [idRec]) {
    try {
      await cancelAuthorization(client, each, { reason });
      cancelled.push(each);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return { cancelled };
}
