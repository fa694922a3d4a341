import { InvalidNotificationError } from '../errors/listener-errors';
import { isUndamaged } from '../service/checks';
import { isBytes } from '../shared/bytes';
import type { ValidationIssue } from '../shared/validation-issue';
import { checkAgainst, isSwapped } from './authorization';
import type { Task } from './cause';
import { conclude } from './conclude';
import type { Listener } from './listener';
import { decodeBody, type Meant, readJsonObject, recognize } from './recognize';
import type { Reporter, WebhookReportDetails } from './report';
import type { WebhookReportCode } from './report-texts';
import {
  BodyProblem,
  headOf,
  type PlainRequest,
  type RequestHead,
  receiveBody,
  type SharedRequest,
} from './request';
import { run } from './run';

/** Only the report says so: an answer would tell a sender that it is nearly right. */
const SWAPPED = 'It has the token before the key: are `apiKey` and `apiToken` swapped in your credentials?';

/** What a request is to be answered with, and the notification that it brought, once that is known. */
export interface Verdict {
  readonly status: number;
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
}

/** Takes a request to its verdict, independent of any runtime. */
export async function receive(
  request: Request | PlainRequest | SharedRequest,
  listener: Listener,
): Promise<Verdict> {
  const startedAt = performance.now();
  const { expectedAuthorizations, getAuthorization, kinds, orders, report } = listener;
  const head = headOf(request);

  // Authorize, before the body is read.
  if (head.method !== 'POST') {
    return refuse(report, 'method_not_allowed', { status: 405, fate: head.method ? ONE_PATH : NO_METHOD });
  }
  const header = getAuthorization(head);
  const authorized = checkAgainst(header, expectedAuthorizations);
  if (!authorized.ok) {
    const { reason } = authorized;
    const fate = reason === 'mismatch' && isSwapped(header, expectedAuthorizations) ? SWAPPED : undefined;
    return refuse(report, 'unauthorized', { status: 401, reason, fate });
  }

  try {
    // Read and recognize.
    const body = await receiveBody(request, listener);
    const decoded = decodeBody(body);
    const read: Meant = recognize(readJsonObject(body, decoded), head, kinds);
    const recognized = orders?.meant(read) ?? read;

    // Run.
    const { notification, identity } = recognized;
    const cause = {
      origin: 'delivery' as const,
      received: { body, url: head.url, credential: String(listener.fingerprints[authorized.index]) },
      credentialIndex: authorized.index,
      answeredWith: 'answeredWith' in request ? request.answeredWith : undefined,
    };
    const task: Task = { notification, identity, cause, isMeant: recognized.isMeant, startedAt };
    const outcome = await run(task, recognized, decoded, listener);

    // Keep and report.
    const status = await conclude(task, outcome, listener);
    if (recognized.issues === undefined && outcome.code !== 'ignored') {
      reportDamaged(task, decoded, cause.answeredWith?.() ?? status, listener);
    }
    return { status, kind: notification.kind, key: identity.key };
  } catch (error) {
    if (error instanceof BodyProblem) return refuse(report, error.code, error);
    if (!(error instanceof InvalidNotificationError)) throw error;
    const { issues, body } = error;
    return refuse(report, 'invalid_body', { status: 400, issues, received: body, fate: formOf(body, head) });
  }
}

const ONE_PATH = 'Mount it by `app.post(path, handler)`.';
const NO_METHOD = 'It has no `method`: pass `{ method, url, headers, body }`.';

/** The first byte of what gzip has compressed. */
const GZIP = 0x1f;

/** What a body is that holds no JSON object, where that says what to change. */
function formOf(body: unknown, { headers }: RequestHead): string | undefined {
  if (body === undefined || body === null || body === '') {
    return 'It is empty: pass what arrived as `body`, in a parser’s form or as text.';
  }
  const [encoding] = /^(?:gzip|deflate|br|zstd)$/i.exec(headers.get('content-encoding') ?? '') ?? [];
  const first =
    typeof body === 'string' ? body.charCodeAt(0) : isBytes(body) ? new Uint8Array(body)[0] : undefined;
  if (encoding !== undefined || first === GZIP) {
    return (
      `It is compressed (\`content-encoding: ${encoding ?? 'gzip'}\`): switch off the compression of requests in the proxy or ` +
      'gateway before the listener, or mount a parser that decompresses, such as `express.json()`, before the handler.'
    );
  }
  if (typeof body !== 'string') return undefined;
  if (body === '[object Object]') {
    return 'It is the text of an object that was turned into text: pass the object itself, or `JSON.stringify` of it.';
  }
  if (/^\s*"/.test(body)) return 'It is a JSON text within a JSON text: something has encoded it twice.';
  if (/^eyJ[\w+/]*={0,2}$/.test(body)) return 'It is Base64: pass `isBase64Encoded: true` beside it.';
  return undefined;
}

/** Reports, and returns the verdict. */
export function refuse(report: Reporter, code: WebhookReportCode, details: WebhookReportDetails): Verdict {
  report(code, details);
  return { status: details.status };
}

/** Reports text that lost characters on the way. A notification whose identity did so is refused before. */
function reportDamaged(
  { notification, identity: { key } }: Task,
  decoded: unknown,
  status: number,
  { report }: Listener,
): void {
  if (typeof decoded !== 'string' || isUndamaged(decoded)) return;
  report('damaged_text', { status, kind: notification.kind, key, issues: damagedFields(notification.raw) });
}

/** As deep as the documented fields are, and a level more. */
const MAX_DEPTH = 4;

/** The texts with U+FFFD. Not recursive: a body may be nested deeper than the stack is. */
function damagedFields(raw: object): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const pending: { readonly path: readonly string[]; readonly value: unknown }[] = [{ path: [], value: raw }];
  for (const { path, value } of pending) {
    if (typeof value === 'string' && !isUndamaged(value)) issues.push({ path, message: 'has U+FFFD in it' });
    if (typeof value !== 'object' || value === null || path.length === MAX_DEPTH) continue;
    for (const [name, inner] of Object.entries(value)) pending.push({ path: [...path, name], value: inner });
  }
  return issues;
}
