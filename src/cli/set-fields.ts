import { mergeDeep } from '../shared/objects';
import { usageFailure } from './failure';

/** A payload with the fields of `--set path=value` in it: `--set refund.amount=5 --set receipt=null`. */
export function setFields(payload: object, assignments: readonly string[]): unknown {
  return assignments.reduce<unknown>((current, assignment) => mergeDeep(current, parse(assignment)), payload);
}

function parse(assignment: string): unknown {
  const { path, value } = /^(?<path>[^=]+)=(?<value>.*)$/s.exec(assignment)?.groups ?? {};
  const names = path?.split('.') ?? [];
  if (value === undefined || names.length === 0 || names.includes('')) {
    throw usageFailure('Expected `--set` as path=value, such as `--set refund.amount=5`.');
  }
  return names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), read(value));
}

/** JSON where it is JSON, else text: `5`, `null`, `{"bank":"1"}`, and `PAID` without quotes. */
function read(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
