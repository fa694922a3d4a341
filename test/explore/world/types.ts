/** One POST of the service. */
export interface Delivery {
  /** `D1`. */
  readonly name: string;
  readonly state: string;
  readonly process: Process;
  arrivedAt: number | undefined;
  /** The status that the service got; `undefined` until the answer, or when the process died. */
  status: number | undefined;
  /**
   * What happened to it that may make an effect happen twice: its process crashed, stopped or was cut off, or its
   * callback hung.
   */
  trouble: string | undefined;
  /** The code that the handler reported, for the trace. */
  report: string | undefined;
  /** What the process has seen of this delivery, which decides what its code does next. */
  readonly seen: string[];
}

/** A process of the merchant, with its own handler. */
export interface Process {
  /** `P1`. */
  readonly name: string;
  alive: boolean;
  /** When it was stopped; `undefined` while it runs. */
  stoppedAt: number | undefined;
  /** By how many milliseconds its wall clock was set forward or back. */
  wallClockOffset: number;
}

/** A step on its way to the store. */
export interface Request {
  /** `D1's claim`, `D1's 2nd complete`. */
  readonly name: string;
  readonly step: string;
  readonly delivery: Delivery;
  readonly run: () => Promise<unknown>;
  /** Called with the result when the store has carried the step out. */
  readonly carriedOut: (value: unknown, sentAt: number) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** `late`: the sender was told that the connection is lost, or has died. */
  state: 'sent' | 'running' | 'carried out' | 'answered';
  late: boolean;
  /** A step of the server itself, which happens sooner or later. */
  readonly unattended: boolean;
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
}

/** A lease that the store granted, or the right to run in a transaction. */
export interface Grant {
  readonly delivery: Delivery;
  readonly token: string;
  readonly fence: number;
  readonly state: string;
  /** The states that were done when it was granted. */
  readonly doneBefore: readonly string[];
  /** When the lease was certainly given already, and the moment before which it does not end. */
  readonly by: number;
  until: number;
  completed: boolean;
  /** The trouble that its delivery had before it was completed. */
  excuse: string | undefined;
  /** Its own process rolled its transaction back. */
  rolledBack: boolean;
}

/** One run of a merchant’s callback. */
export interface Run {
  readonly delivery: Delivery;
  readonly grant: Grant;
  /** Its end has been chosen. In a transaction it still has to write. */
  finishing: boolean;
  ended: boolean;
  /** It took longer than the handler waits. */
  overdue: boolean;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

export interface Timer {
  readonly delivery: Delivery;
  readonly due: number;
  readonly action: () => void;
}

/** Something that can happen next. */
export interface Choice {
  /** What happens, in words; the same words mean the same choice when the path is taken again. */
  readonly text: string;
  /** 1 for what a healthy world does not do. */
  readonly faults: 0 | 1;
  /** It concerns one delivery alone. */
  readonly isAnswer?: boolean;
  readonly take: () => Promise<void>;
}
