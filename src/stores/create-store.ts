import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { type NamespaceOptions, type RecordStore, StoreOverRecords } from './record-store';
import type { Store } from './steps';
import { storeCause } from './store-cause';

/**
 * Makes a store of any database that can write a record only if nobody else has written it since. See
 * `examples/own-store` in the repository for three of them.
 *
 * @throws `ConfigurationError` for records without `read`, `write` or `list`, or a namespace that cannot work
 */
export function createStore(records: RecordStore, options: NamespaceOptions = {}): Store<undefined> {
  return new StoreOverRecords(
    records,
    readNamedOptions('createStore', options, NAMES),
    undefined,
    storeCause,
  );
}

const NAMES: OptionNames<NamespaceOptions> = { namespace: true };
