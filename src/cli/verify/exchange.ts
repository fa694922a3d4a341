import {
  type NotificationAnswer,
  type NotificationRequest,
  postNotification,
} from '../../sandbox/delivery/post-notification';
import type { SandboxNotification } from '../../sandbox/model/records';
import { describeAnswer, excerpt } from '../output';

/** A notification, with its name in the report. */
export type Named = readonly [name: string, notification: SandboxNotification];

/** What a response means to every check. `silent` is a timeout; `gone` means that no connection was made. */
export type Reception = 'accepted' | 'refused' | 'broken' | 'silent' | 'gone';

/** A notification that was sent, and its response. */
export interface Exchange extends NotificationAnswer {
  readonly what: string;
  readonly reception: Reception;
  /** What the listener wrote, without credentials. */
  readonly shownText: string;
  readonly headers: readonly string[];
}

/** A secret may come at the end of a long page about an error. */
const MAX_TEXT_BYTES = 64 * 1024;

/** Sends a body to the listener. */
export async function exchange(
  what: string,
  request: NotificationRequest,
  redact: (text: string) => string,
): Promise<Exchange> {
  let headers: readonly string[] = [];
  const onHeaders = (received: readonly string[]) => {
    headers = received;
  };
  const answer = await postNotification({ ...request, onHeaders, maxTextBytes: MAX_TEXT_BYTES });
  return { ...answer, what, headers, shownText: redact(answer.text), reception: receptionOf(answer) };
}

function receptionOf({ httpStatus, error }: NotificationAnswer): Reception {
  // Any 2xx is accepted here; the check `status-200` wants 200.
  if (httpStatus !== undefined) return httpStatus >= 200 && httpStatus < 300 ? 'accepted' : 'refused';
  if (error === 'timeout') return 'silent';
  return error !== undefined && BROKEN.test(error) ? 'broken' : 'gone';
}

/** Errors of a connection that was made but brought no HTTP response, as when the process ends. */
const BROKEN = /^(ECONNRESET|EPIPE|HPE_.*|connection failed)$/;

/** What was sent and what came back, for a report. */
export function describeExchange(exchange: Exchange): string {
  const text = exchange.reception === 'refused' ? excerpt(exchange.shownText, MAX_TEXT) : '';
  return `${exchange.what}: ${describeAnswer(exchange)}${text === '' ? '' : ` ${JSON.stringify(text)}`}`;
}

/** Status and text, without what is different in each response: UUIDs, ids, times. */
export function fingerprint({ httpStatus, text }: Exchange): string {
  return `${httpStatus} ${text.replaceAll(UUID, '').replaceAll(/\d+/g, '')}`;
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const MAX_TEXT = 80;
