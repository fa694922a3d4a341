import type { SandboxNotification } from '../sandbox/model/records';
import { usageFailure } from './failure';
import type { Samples } from './samples';
import { didYouMean, quoteWord } from './suggest';

/** A kind that `trigger` can send. */
export interface TriggerKind {
  /** The kind as a listener of this library knows it. */
  readonly kind: string;
  readonly make: (samples: Samples) => SandboxNotification;
}

const kinds: Readonly<Record<string, TriggerKind>> = {
  payment: { kind: 'payment', make: (samples) => samples.sale().payment },
  'sale-reversal': { kind: 'saleStatus', make: (samples) => samples.sale().reversal('PAID').sale },
  reversal: { kind: 'reversal', make: (samples) => samples.sale().reversal('PAID').pending },
  refund: { kind: 'refund', make: (samples) => samples.sale().refund(10) },
  payout: { kind: 'payout', make: (samples) => samples.payout() },
  'payout-failed': { kind: 'payout', make: (samples) => samples.payout('PE0001') },
  unrecognized: { kind: 'unrecognized', make: (samples) => samples.unrecognized() },
};

export const triggerKinds = Object.keys(kinds);

export function triggerKind(typed: string): TriggerKind {
  const found = Object.hasOwn(kinds, typed) ? kinds[typed] : undefined;
  if (found !== undefined) return found;
  const hint = didYouMean(typed, triggerKinds) || ` Expected one of ${triggerKinds.join(', ')}.`;
  throw usageFailure(`There is no kind ${quoteWord(typed)}.${hint}`);
}
