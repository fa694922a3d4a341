import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export const credentials = { apiKey: 'key-1', apiToken: 'token:1' };

export const authorization = `Basic ${Buffer.from(`${credentials.apiKey}:${credentials.apiToken}`).toString('base64')}`;

export interface Delivery {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A slower delivery fails, as it does with the service. */
  readonly timeoutMs?: number;
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Sends a notification as the service does (document sections 5 and 6.1). It uses `node:http`, which can read an
 * answer that arrives before the whole body is sent.
 */
export function deliver(url: string, notification: unknown, delivery: Delivery = {}): Promise<Answer> {
  const { method = 'POST', headers, timeoutMs, agent } = delivery;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      agent,
      signal: timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs),
    });
    let answered = false;
    sent.on('response', (response) => {
      answered = true;
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    sent.on('error', (error) => answered || reject(error));
    sent.end(method === 'GET' ? undefined : toBody(notification));
  });
}

function toBody(notification: unknown): string {
  return typeof notification === 'string' ? notification : JSON.stringify(notification);
}
