import { Buffer } from 'node:buffer';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import type { Credentials } from '../../schemas/credentials';
import type { Send, SendResult } from './delivery';

export interface HttpSendOptions {
  readonly credentials: Credentials;
  /** Over the whole attempt. */
  readonly timeoutMs: number;
}

/** Sends notifications over HTTP as sections 5 and 6.1 say. A redirect is an answer like any other: a failure. */
export function httpSend({ credentials, timeoutMs }: HttpSendOptions): Send {
  const pair = `${credentials.apiKey}:${credentials.apiToken}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;

  return ({ url, body, signal }) => {
    const started = performance.now();
    return new Promise<SendResult>((resolve) => {
      const send = url.startsWith('https:') ? httpsRequest : httpRequest;
      const request = send(url, {
        method: 'POST',
        // A connection of its own, so that none is left open when the sandbox closes.
        agent: false,
        signal,
        headers: {
          authorization,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'pix-automatic-sandbox',
        },
      });
      const timer = setTimeout(() => request.destroy(new TimeoutReached()), timeoutMs);
      const end = (httpStatus: number | undefined, error?: string) => {
        clearTimeout(timer);
        resolve({ httpStatus, error, durationMs: Math.round(performance.now() - started) });
      };
      request.on('response', (response) => {
        // Read to its end, so that the listener is not cut off while it answers; the time-out bounds that too.
        const answered = () => end(response.statusCode);
        response.on('close', answered).on('error', answered).resume();
      });
      request.on('error', (error) => end(undefined, nameOf(error)));
      request.end(body);
    });
  };
}

class TimeoutReached extends Error {}

/** A short name, never the message: it may quote what it failed on. */
function nameOf(error: Error): string {
  if (error instanceof TimeoutReached) return 'timeout';
  if (error.name === 'AbortError') return 'closed';
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed';
}
