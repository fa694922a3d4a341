import type { OperationName } from '../../errors';
import { adviseCall, type CallAdvice } from '../advice';
import type { Fault } from '../faults';

/** A call of the merchant's client, as the page lists it: its bodies come only when somebody asks for them. */
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
  /** The row of the table of inventions that the answer comes from. */
  readonly invention: string | undefined;
  /** UUID of the journey that it is about, if known. */
  readonly journey: string | undefined;
  readonly advice: readonly CallAdvice[];
}

/** What was sent and answered. */
export interface CallBodies {
  readonly request: string;
  readonly answer: string;
}

/** How many calls are kept: the newest. */
const MAX_CALLS = 500;
/** Larger bodies are cut: a thousand of them must not fill the memory. */
const MAX_TEXT = 16_000;

/** The newest calls, for the page. */
export class CallLog {
  #entries: { readonly call: ClientCall; readonly bodies: CallBodies }[] = [];
  #last = 0;

  /** Grows with every call. */
  get revision(): number {
    return this.#last;
  }

  /** The newest first. */
  get calls(): readonly ClientCall[] {
    return this.#entries.map(({ call }) => call).reverse();
  }

  bodies(id: number): CallBodies | undefined {
    return this.#entries.find(({ call }) => call.id === id)?.bodies;
  }

  add(call: Omit<ClientCall, 'id' | 'advice'>, { request, answer }: CallBodies): void {
    const advice = adviseCall(call.operation, request, call.at);
    const bodies = { request: cut(request), answer: cut(answer) };
    this.#entries.push({ call: { ...call, id: ++this.#last, advice }, bodies });
    if (this.#entries.length > MAX_CALLS) this.#entries.shift();
  }
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}
