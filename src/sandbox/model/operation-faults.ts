import type { Inventions } from '../inventions';
import { invented, type ServiceAnswer } from './answers';
import type { Fault } from './fault-queue';

/** How much of a body is sent, and what then happens to the connection. */
export type Ending = 'whole' | 'stalled' | 'truncated' | { readonly closesAfterMs: number };

/** How a call is handled: as usual, or as its fault says. */
export interface FaultyCall {
  /** Whether the operation is carried out. */
  readonly takesEffect: boolean;
  readonly delayMs: number;
  /** Resets the connection, with no answer. */
  readonly reset: boolean;
  readonly ending: Ending;
  /** Gives the answer that is sent in place of the operation's. */
  replace(answer: ServiceAnswer): ServiceAnswer;
}

const asUsual: FaultyCall = {
  takesEffect: true,
  delayMs: 0,
  reset: false,
  ending: 'whole',
  replace: (answer) => answer,
};

/** A placeholder: when an operation is not carried out, its fault sends another answer or none. */
export const nothingDone: ServiceAnswer = { status: 500, headers: {}, body: '' };

/** How to handle a call once its request was read. */
export function planCall(fault: Fault | undefined, inventions: Inventions): FaultyCall {
  switch (fault?.kind) {
    // Such a call is reset before its plan is made.
    case 'reset-before-read':
    case undefined:
      return asUsual;
    case 'latency':
      return { ...asUsual, delayMs: fault.ms };
    case 'status':
      return { ...asUsual, takesEffect: fault.takesEffect ?? false, replace: () => statusAnswer(fault) };
    case 'body-status': {
      const row = fault.status === -1 ? 'bodyStatusMinus1' : 'bodyStatus999';
      return { ...asUsual, replace: () => invented(row, inventions[row]) };
    }
    case 'reset-after-read':
      return { ...asUsual, takesEffect: fault.takesEffect ?? true, reset: true };
    case 'stalled-body':
      return { ...asUsual, ending: 'stalled' };
    case 'truncated-body':
      return { ...asUsual, ending: 'truncated' };
    case 'wrong-json':
      return { ...asUsual, replace: (answer) => ({ ...answer, body: '{"status": 0, "message": success' }) };
    case 'close-after-answer':
      return { ...asUsual, ending: { closesAfterMs: fault.ms ?? 5 } };
  }
}

function statusAnswer({ status, body, headers }: Fault & { kind: 'status' }): ServiceAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: body ?? JSON.stringify({ status: -1, message: 'sandbox fault' }),
  };
}
