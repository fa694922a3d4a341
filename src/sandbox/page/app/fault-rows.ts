import type { Fault, FaultKind } from '../../model/fault-queue';
import type { Texts } from './texts';

/** What the switches are told beside their kind. */
export interface FaultSettings {
  readonly isEvery: boolean;
  readonly status: number;
  readonly ms: number;
}

/** A kind of fault as the page offers it. */
export interface FaultRow {
  readonly text: keyof Texts;
  make(settings: FaultSettings): FaultKind;
  /** Whether a fault that is set is this one. */
  is(fault: Fault): boolean;
}

export const faultRows: readonly FaultRow[] = [
  { text: 'latency', make: ({ ms }) => ({ kind: 'latency', ms }), is: (fault) => fault.kind === 'latency' },
  {
    text: 'status',
    make: ({ status }) => ({ kind: 'status', status }),
    is: (fault) => fault.kind === 'status',
  },
  bodyStatus('bodyStatusMinus1', -1),
  bodyStatus('bodyStatus999', 999),
  plain('resetBefore', 'reset-before-read'),
  plain('resetAfter', 'reset-after-read'),
  plain('stalled', 'stalled-body'),
  plain('truncated', 'truncated-body'),
  plain('wrongJson', 'wrong-json'),
];

function bodyStatus(text: keyof Texts, status: -1 | 999): FaultRow {
  return {
    text,
    make: () => ({ kind: 'body-status', status }),
    is: (fault) => fault.kind === 'body-status' && fault.status === status,
  };
}

type PlainKind = 'reset-before-read' | 'reset-after-read' | 'stalled-body' | 'truncated-body' | 'wrong-json';

function plain(text: keyof Texts, kind: PlainKind): FaultRow {
  return { text, make: () => ({ kind }), is: (fault) => fault.kind === kind };
}
