import type { Inventions } from '../inventions';
import { invented, type ServiceAnswer } from './answers';
import type { Fault } from './fault-queue';

/** How much of a body is sent, and what then happens to the connection. */
export type Ending = 'whole' | 'stalled' | 'truncated';

/** What a fault makes of a call. */
export interface FaultyCall {
  /** Whether the operation is carried out. */
  readonly takesEffect: boolean;
  readonly delayMs: number;
  /** Resets the connection, with no answer. */
  readonly reset: boolean;
  readonly ending: Ending;
  /** The answer that is sent for the right one. */
  replace(answer: ServiceAnswer): ServiceAnswer;
}

const asUsual: FaultyCall = {
  takesEffect: true,
  delayMs: 0,
  reset: false,
  ending: 'whole',
  replace: (answer) => answer,
};

/** What stands for the answer of an operation that is not carried out; a fault puts another in its place. */
export const nothingDone: ServiceAnswer = { status: 500, headers: {}, body: '' };

/** What happens to a call once its request was read. */
export function planCall(fault: Fault | undefined, inventions: Inventions): FaultyCall {
  switch (fault?.kind) {
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
    default:
      return asUsual;
  }
}

function statusAnswer({ status, body, headers }: Fault & { kind: 'status' }): ServiceAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: body ?? JSON.stringify({ status: -1, message: 'sandbox fault' }),
  };
}
