import type { OperationName } from '../../errors';
import { adviseCall, type CallAdvice } from '../advice';
import type { Fault } from '../model/fault-queue';

/** A call of the merchant's client, as the page shows it. */
export interface ClientCall {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationName;
  /** `undefined` when a fault, or the caller, ended the connection. */
  readonly status: number | undefined;
  readonly fault: Fault['kind'] | undefined;
  readonly durationMs: number;
  readonly request: string;
  readonly answer: string;
  /** The row of the table of inventions that the answer comes from. */
  readonly invention: string | undefined;
  readonly advice: readonly CallAdvice[];
}

/** How many entries each list of the page has: the newest. */
export const LIST_LENGTH = 50;
const MAX_TEXT = 4_000;

/** The newest calls, for the page. */
export class CallLog {
  #calls: readonly ClientCall[] = [];
  #last = 0;

  /** The oldest first. */
  get calls(): readonly ClientCall[] {
    return this.#calls;
  }

  add(call: Omit<ClientCall, 'id' | 'advice'>): void {
    const advice = adviseCall(call.operation, call.request, call.at);
    const { request, answer } = call;
    const entry = { ...call, id: ++this.#last, request: cut(request), answer: cut(answer), advice };
    this.#calls = [...this.#calls, entry].slice(-LIST_LENGTH);
  }
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}
