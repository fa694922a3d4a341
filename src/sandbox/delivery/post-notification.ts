import { Buffer } from 'node:buffer';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { basicAuthorization } from '../../webhooks/authorization';
import { redactor } from '../credentials';
import type { Send, SendOptions, SendResult } from './delivery';

/** A notification to send, and how. */
export interface NotificationRequest {
  readonly url: string;
  readonly body: string;
  /** Default: POST. The service knows no other. */
  readonly method?: string | undefined;
  /** Sends this many bytes of the body first, and the rest a moment later, as a network may. */
  readonly splitAt?: number | undefined;
  /** How much of the answer is kept. Default: 4 KiB. */
  readonly maxTextBytes?: number | undefined;
  /** The whole `Authorization` header. `undefined` leaves it out, which the service never does. */
  readonly authorization: string | undefined;
  /** How the name of that header is written. Default: as in the document, `Authorization`. */
  readonly headerName?: string | undefined;
  /** Default: `application/json`. The service sends no other. */
  readonly contentType?: string | undefined;
  /** For the whole attempt. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Gets the names and values of the answer's headers. They are no part of the result, which goes into logs. */
  readonly onHeaders?: ((headers: readonly string[]) => void) | undefined;
  /** Blanks the credentials in the beginning of an answer. Default: nothing is blanked. */
  readonly redact?: ((text: string, isCut: boolean) => string) | undefined;
}

/** How an attempt ended, with the beginning of the listener's answer. */
export interface NotificationAnswer extends SendResult {
  readonly text: string;
}

/** Only the status decides whether the delivery succeeded. */
const MAX_TEXT_BYTES = 4096;
const SPLIT_MS = 200;

/** Sends a notification over HTTP as in section 6.1. A redirect is an answer like any other. Never rejects. */
export function postNotification(notification: NotificationRequest): Promise<NotificationAnswer> {
  const { url, method = 'POST', body, authorization, timeoutMs, signal, splitAt } = notification;
  const { headerName = 'Authorization', contentType = 'application/json' } = notification;
  const { maxTextBytes = MAX_TEXT_BYTES, onHeaders = () => {}, redact = (text) => text } = notification;
  const started = performance.now();
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const request = send(url, {
      method,
      // A new connection each time, so that none is left open when the sandbox closes.
      agent: false,
      signal,
      headers: {
        ...(authorization === undefined ? {} : { [headerName]: authorization }),
        'Content-Type': contentType,
        'content-length': Buffer.byteLength(body),
        'user-agent': 'pix-automatic-sandbox',
      },
    });
    const timer = setTimeout(() => request.destroy(new TimeoutReached()), timeoutMs);
    const end = (httpStatus: number | undefined, error?: string, text = '') => {
      clearTimeout(timer);
      resolve({ httpStatus, error, text, durationMs: Math.round(performance.now() - started) });
    };
    let hasResponse = false;
    request.on('response', (response) => {
      hasResponse = true;
      onHeaders(response.rawHeaders);
      let start = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        if (start.length <= maxTextBytes) start = Buffer.concat([start, chunk]);
      });
      // Read to its end, so that the listener is not cut off while it answers. The timeout limits this too.
      const answered = () => {
        const isCut = start.length > maxTextBytes;
        end(response.statusCode, undefined, redact(start.subarray(0, maxTextBytes).toString(), isCut));
      };
      response.on('close', answered).on('error', answered);
    });
    // An answer of 101 is no `response` for Node: with an `Upgrade` header it comes as an upgrade, else as information.
    const switched = ({ statusCode }: Pick<IncomingMessage, 'statusCode'>) => {
      if (statusCode !== 101) return;
      end(statusCode);
      request.destroy();
    };
    request.on('upgrade', switched).on('information', switched);
    request.on('error', (error) => end(undefined, nameOf(error)));
    // Whatever else may end the connection: an attempt always has an end.
    request.on('close', () => {
      if (!hasResponse) end(undefined, 'connection closed');
    });
    if (splitAt === undefined) request.end(body);
    else {
      const bytes = Buffer.from(body);
      request.write(bytes.subarray(0, splitAt));
      setTimeout(() => request.end(bytes.subarray(splitAt)), SPLIT_MS);
    }
  });
}

class TimeoutReached extends Error {}

/** A short name, never the error's message, which may quote the URL. */
function nameOf(error: Error): string {
  if (error instanceof TimeoutReached) return 'timeout';
  if (error.name === 'AbortError') return 'closed';
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed';
}

/** Sends notifications over HTTP as in sections 5 and 6.1. */
export function httpSend({ credentials, timeoutMs }: SendOptions): Send {
  const authorization = basicAuthorization(credentials);
  const redact = redactor(credentials);
  return (notification) => postNotification({ ...notification, authorization, timeoutMs, redact });
}
