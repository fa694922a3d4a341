import type { ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import type { Credentials } from '../../service/credentials';
import { verifyAuthorization } from '../../webhooks/authorization';
import { parseControlBody } from '../controls/control-body';
import { json, type ServiceAnswer, type ServiceRequest } from '../model/answers';
import { contentSecurityPolicy, PAGE_TOKEN_MARK, pageHtml } from '../page/page.generated';
import type { PageData, Verify } from '../page/page-state';
import { isPortuguese, needsCredentials } from './control-routes';
import type { PageToken } from './page-access';

/** What the server needs for the page. */
export interface PageParts {
  readonly token: PageToken;
  readonly data: PageData;
  readonly verify: Verify | undefined;
  /** The credentials that the page asks for; `undefined` lets everybody on this machine open it. */
  readonly pageCredentials: Credentials | undefined;
}

/** Serves the page. Its script then asks for the state, with the token that comes with the page. */
export function servePage(
  request: ServiceRequest,
  { token, pageCredentials }: PageParts,
): ServiceAnswer | undefined {
  if (request.method !== 'GET' || request.path.split('?')[0] !== '/') return undefined;
  if (pageCredentials !== undefined && !verifyAuthorization(authorizationOf(request), pageCredentials)) {
    const challenge = 'Basic realm="Sandbox: API key and API token", charset="UTF-8"';
    return json(
      401,
      { message: 'The page needs the API key and API token.' },
      { 'www-authenticate': challenge },
    );
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    body: pageHtml.replace(PAGE_TOKEN_MARK, token.value),
  };
}

const verifyOptions = z.strictObject({ url: z.string(), effects: z.optional(z.string()) });

/** Answers the page's `verify` button. */
export async function serveVerify(
  request: ServiceRequest,
  { verify }: PageParts,
  isAuthorized: boolean,
): Promise<ServiceAnswer | undefined> {
  if (verify === undefined || request.method !== 'POST' || request.path !== '/sandbox/verify')
    return undefined;
  if (!isAuthorized) return needsCredentials;
  try {
    return json(200, await verify(parseControlBody(verifyOptions, request.body), isPortuguese(request)));
  } catch (error) {
    return json(400, { message: error instanceof Error ? error.message : 'The checklist could not run.' });
  }
}

/** Answers what the page asks for when it shows it: lists, a story, a body. */
export function servePageData(
  { method, path }: ServiceRequest,
  { data }: PageParts,
  isAuthorized: boolean,
): ServiceAnswer | undefined {
  if (method !== 'GET' || !path.startsWith('/sandbox/page/')) return undefined;
  if (!isAuthorized) return needsCredentials;
  const answer = data.answer(path);
  // Not 404: the browser would write an error into its console, and the page says what is not there.
  return json(200, answer ?? null);
}

/** A refusal, as the page gets it: to a status of 400 or more, the browser writes an error into its console. */
export function forPage(answer: ServiceAnswer): ServiceAnswer {
  if (answer.status < 400 || answer.status >= 500) return answer;
  return { ...answer, status: 200, headers: { ...answer.headers, 'x-sandbox-refused': 'true' } };
}

export function isEventStream({ method, path }: Pick<ServiceRequest, 'method' | 'path'>): boolean {
  return method === 'GET' && path.split('?')[0] === '/sandbox/events';
}

/** How often an open page learns of changes, in milliseconds. */
const POLL_MS = 200;

/** Sends the state as server-sent events: now, and after each change, until the page goes away. */
export function streamState(response: ServerResponse, { data }: PageParts): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  let sent = '';
  const send = () => {
    if (response.writableNeedDrain) return;
    const text = JSON.stringify(data.state);
    if (text === sent) return;
    sent = text;
    response.write(`data: ${text}\n\n`);
  };
  send();
  // Polling, because too many places change something for each of them to report it.
  const timer = setInterval(send, POLL_MS);
  response.on('close', () => clearInterval(timer));
}

function authorizationOf({ headers }: ServiceRequest): string | undefined {
  const { authorization } = headers;
  return typeof authorization === 'string' ? authorization : undefined;
}
