import { basicAuthorization } from '../../../webhooks/authorization';
import { listenerUrl } from '../../delivery/listener-url';
import { type NotificationAnswer, postNotification } from '../../delivery/post-notification';
import type { SandboxNotification } from '../../model/records';
import type { ChosenCredentials } from '../credentials';
import { describeAnswer } from '../describe-answer';
import { Samples } from '../samples';
import type { Target } from '../target';
import type { Effects } from './effects';

export interface SessionOptions {
  readonly target: Target;
  readonly chosen: ChosenCredentials;
  /** How long an answer may take before the check of promptness fails. */
  readonly limitMs: number;
  /** Without it, nobody can tell from outside whether the listener acted. */
  readonly effects: Effects | undefined;
}

/** How an answer counts, whatever the check. */
export type Reception = 'accepted' | 'refused' | 'broken' | 'silent' | 'gone';

/** A notification that was sent, and its answer. */
export interface Exchange extends NotificationAnswer {
  readonly what: string;
  readonly reception: Reception;
}

/** What a step gave, and what the listener did for it. */
export interface Watched<Result> {
  readonly result: Result;
  readonly actions: number | undefined;
}

/** An answer is waited for this many times as long as it may take, so that a late one is seen for what it is. */
const PATIENCE = 3;

/** A run of the checklist: what is sent, and what is learned on the way. */
export class Session {
  readonly samples = new Samples();
  readonly options: SessionOptions;
  /** Everything sent with the right credentials. */
  readonly exchanges: Exchange[] = [];
  /** Kinds that were accepted as the document shows them. */
  readonly acceptedKinds = new Set<string>();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  get countsEffects(): boolean {
    return this.options.effects !== undefined;
  }

  get timeoutMs(): number {
    return this.options.limitMs * PATIENCE;
  }

  /** Carries a step out, and says how many actions the listener took for it; `undefined` when nobody counts. */
  async watch<Result>(step: () => Promise<Result>): Promise<Watched<Result>> {
    const { effects } = this.options;
    const before = await effects?.count();
    const result = await step();
    return { result, actions: before === undefined ? undefined : await effects?.since(before) };
  }

  /** Sends a notification as the service does. */
  async send(what: string, notification: SandboxNotification): Promise<Exchange> {
    const exchange = await this.sendWith(
      basicAuthorization(this.options.chosen.credentials),
      what,
      notification,
    );
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Sends a notification with any `Authorization` header, or with none. */
  async sendWith(
    authorization: string | undefined,
    what: string,
    { kind, query, payload }: SandboxNotification,
  ): Promise<Exchange> {
    const { target } = this.options;
    const url = listenerUrl(target.url, { kind, query }) ?? target.url;
    const body = JSON.stringify(payload);
    const answer = await postNotification({ url, body, authorization, timeoutMs: this.timeoutMs });
    return { ...answer, what, reception: receptionOf(answer) };
  }
}

/** What was sent and what came back, for a report. */
export function describeExchange(exchange: Exchange): string {
  return `${exchange.what}: ${describeAnswer(exchange)}`;
}

function receptionOf({ httpStatus, error }: NotificationAnswer): Reception {
  // Whether it is the right success is the subject of a check of its own.
  if (httpStatus !== undefined) return httpStatus >= 200 && httpStatus < 300 ? 'accepted' : 'refused';
  if (error === 'timeout') return 'silent';
  return error !== undefined && BROKEN.test(error) ? 'broken' : 'gone';
}

/** A connection that was made and gave no answer, or no HTTP, as when the process ends; all else never reached it. */
const BROKEN = /^(ECONNRESET|EPIPE|HPE_.*|connection failed)$/;
