import { Buffer } from 'node:buffer';
import { redactor } from '../../sandbox/credentials';
import { listenerUrl } from '../../sandbox/delivery/listener-url';
import {
  type NotificationAnswer,
  type NotificationRequest,
  postNotification,
} from '../../sandbox/delivery/post-notification';
import type { SandboxNotification } from '../../sandbox/model/records';
import type { Credentials } from '../../service/credentials';
import { sleep } from '../../shared/time';
import { basicAuthorization } from '../../webhooks/authorization';
import { type CliFailure, failure } from '../failure';
import { describeAnswer, excerpt } from '../output';
import { line } from '../visible';

/** A notification, and how it is sent. */
export interface Send extends Pick<NotificationRequest, 'method' | 'splitAt' | 'headerName' | 'contentType'> {
  /** Its name in the report. */
  readonly what: string;
  readonly notification: SandboxNotification;
  /** White space makes the body this long. */
  readonly bytes?: number;
  /** The whole `Authorization` header, `null` for none. Default: the right one. */
  readonly authorization?: string | null;
  /** Whether it must be accepted, or must not, or may. Default: `must`. */
  readonly accept?: 'must' | 'mustNot' | 'may';
}

/** What a response means. `silent` is a timeout; `gone` means that no connection was made. */
export type Reception = 'accepted' | 'refused' | 'broken' | 'silent' | 'gone';

/** A notification that was sent, and its response. */
export interface Exchange extends NotificationAnswer {
  readonly send: Send;
  readonly reception: Reception;
  /** The status of the first attempt, where it was 500 or more and the notification was sent again. */
  readonly failedFirst?: number | undefined;
  /** What the listener wrote, without credentials. */
  readonly shownText: string;
  readonly headers: readonly string[];
}

/** A secret may come at the end of a long page about an error. */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_TEXT = 80;
/** How many times the limit to wait for a response, so that a late response is told from a missing one. */
const PATIENCE = 3;
/** The service waits a minute before a retry; verify waits a moment. */
const RETRY_MS = 20;
/** How many responses in a row may be missing: each takes `PATIENCE` times the limit. */
const MAX_TIMEOUTS = 3;
/** Errors of a connection that was made but brought no HTTP response, as when the process ends. */
const BROKEN = /^(ECONNRESET|EPIPE|HPE_.*|connection (failed|closed))$/;

function receptionOf({ httpStatus, error = '' }: NotificationAnswer): Reception {
  if (httpStatus !== undefined) return httpStatus >= 200 && httpStatus < 300 ? 'accepted' : 'refused';
  if (error === 'timeout') return 'silent';
  return BROKEN.test(error) ? 'broken' : 'gone';
}

export function isRedirect({ httpStatus = 0 }: Exchange): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

/** What came back, for a report. */
export function describe(exchange: Exchange): string {
  const text = exchange.reception === 'refused' ? excerpt(exchange.shownText, MAX_TEXT) : '';
  const first = exchange.failedFirst === undefined ? '' : `HTTP ${exchange.failedFirst}, `;
  return `${first}${describeAnswer(exchange)}${text === '' ? '' : ` ${JSON.stringify(text)}`}`;
}

/** What verify is run with. */
export interface SenderOptions {
  /** The listener's URL. */
  readonly url: string;
  /** The pair that the listener expects. */
  readonly credentials: Credentials;
  /** How long a response may take before it is too slow, in milliseconds. */
  readonly limitMs: number;
}

/** Sends notifications as the service does, and keeps what came back. */
export class Sender {
  /** Every notification of this run, with its response. */
  readonly exchanges: Exchange[] = [];
  readonly #options: SenderOptions;
  readonly #redact: (text: string) => string;
  #timeouts = 0;
  #limited: CliFailure | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#redact = redactor(options.credentials);
  }

  /** Sends one, and once more after a response of 500 or more. */
  async send(send: Send): Promise<Exchange> {
    const first = await this.once(send);
    if (send.accept !== undefined || (first.httpStatus ?? 0) < 500) return first;
    await sleep(RETRY_MS);
    return { ...(await this.once(send)), failedFirst: first.httpStatus };
  }

  /** Sends several at the same moment. What is refused, as a busy listener may, is sent again alone. */
  async sendAtOnce(sends: readonly Send[]): Promise<Exchange[]> {
    const last = await Promise.all(sends.map((send) => this.once(send)));
    for (const [index, send] of sends.entries())
      if (send.accept === undefined && last[index]?.reception === 'refused')
        last[index] = await this.send(send);
    return last;
  }

  /** Sends one, without a retry. @throws `CliFailure` once nothing more can be learned */
  async once(send: Send): Promise<Exchange> {
    if (this.#limited !== undefined) throw this.#limited;
    const sent = await this.#post(send);
    this.exchanges.push(sent);
    this.#timeouts = sent.reception === 'silent' ? this.#timeouts + 1 : 0;
    // Of the first one, `first` tells. Later ones are no proof of a fault: the service sends far fewer.
    const isLimited = sent.httpStatus === 429 && send.accept !== 'mustNot' && this.exchanges.length > 1;
    if (isLimited)
      this.#limited = failure(
        line`the listener has a rate limit (HTTP 429 after ${this.exchanges.length} ${this.exchanges.length === 1 ? 'notification' : 'notifications'}): raise it while verify runs.`,
      );
    else if (this.#timeouts >= MAX_TIMEOUTS)
      this.#limited = failure(line`no response came ${MAX_TIMEOUTS} times in a row.`);
    if (isLimited && this.#limited !== undefined) throw this.#limited;
    return sent;
  }

  /** Whether nothing answers any more, not even to a request without credentials. It is in no report. */
  async isGone(): Promise<boolean> {
    const notification = { kind: 'custom', query: '', payload: {} } as const;
    const { reception } = await this.#post({ what: '', notification, authorization: null });
    return reception === 'gone' || reception === 'silent';
  }

  async #post(send: Send): Promise<Exchange> {
    const { authorization = basicAuthorization(this.#options.credentials), bytes = 0, notification } = send;
    const text = JSON.stringify(notification.payload);
    const space = ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
    let headers: readonly string[] = [];
    const answer = await postNotification({
      ...send,
      url: listenerUrl(this.#options.url, { query: notification.query }),
      body: space === '' ? text : `${text.slice(0, -1)}${space}}`,
      authorization: authorization ?? undefined,
      timeoutMs: this.#options.limitMs * PATIENCE,
      maxTextBytes: MAX_TEXT_BYTES,
      onHeaders: (received) => {
        headers = received;
      },
    });
    return { ...answer, send, headers, shownText: this.#redact(answer.text), reception: receptionOf(answer) };
  }
}
