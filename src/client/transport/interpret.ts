import { ApiError, InvalidResponseError, type Outcome, type ValidationIssue } from '../../errors';
import { advice } from '../../errors/failed-call';
import type { Secrets } from '../../service/credentials';
import { findUuid } from '../../service/find-uuid';
import { type Schema, validate } from '../../service/schema/schema';
import { isObject } from '../../shared/objects';
import { TOO_LARGE } from '../../shared/read-body';
import { summarize } from '../../shared/validation-issue';
import type { Received } from './exchange';
import { type Attempt, contextOf, FailedAttempt } from './failed-attempt';
import { ABORTED, interruption, type Known } from './interruption';
import { parseRetryAfter } from './retry-policy';

/** What a successful response says. */
export interface Interpretation<T> {
  readonly result: T;
  /** Fields that did not have the documented type and are left out of the result. */
  readonly leftOut: readonly ValidationIssue[];
}

/**
 * Interprets a response. A body that is complete JSON and fits the schema is a success, even if its framing announced
 * more.
 *
 * @throws {@link FailedAttempt} with an `ApiError` for a status outside 2xx or a body whose `status` is not 0, with an
 *   `InvalidResponseError` for a success that cannot be used, or with the error of what interrupted the body
 */
export function interpret<T>(
  received: Received,
  schema: Schema<unknown, T>,
  attempt: Attempt,
  secrets: Secrets,
): Interpretation<T> {
  const { httpStatus, text, brokenOff } = received;
  const outcome = outcomeOfStatus(httpStatus);
  const known = () => ({
    httpStatus,
    outcome,
    uuid: secrets.uuid(findUuid(text, attempt.operation.uuidPath)),
  });
  if (brokenOff === ABORTED) throw interruption(brokenOff, attempt, known());
  // A failure status says all that matters, and a body that breaks off must not hide it.
  if (httpStatus < 200 || httpStatus > 299) throw httpFailure(received, attempt, known(), secrets);
  if (brokenOff === TOO_LARGE) {
    throw unusable('The response is larger than `maxResponseBytes`.', [], text, attempt, known());
  }
  try {
    return readSuccess(text, schema, attempt, known);
  } catch (failure) {
    if (brokenOff !== undefined) throw interruption(brokenOff, attempt, known());
    if (failure instanceof FailedAttempt) throw failure;
    // Any other failure here comes after a success, and must not look like a call that can be made again.
    throw unusable('The response is a success that cannot be read.', [], text, attempt, known());
  }
}

/** 4xx is a refusal, except 408 and 499, which gateways send while the service may still be working. */
function outcomeOfStatus(httpStatus: number): Outcome {
  const mayBeAtWork = httpStatus === 408 || httpStatus === 499;
  return httpStatus >= 400 && httpStatus < 500 && !mayBeAtWork ? 'refused' : 'unknown';
}

function readSuccess<T>(
  text: string,
  schema: Schema<unknown, T>,
  attempt: Attempt,
  known: () => Known,
): Interpretation<T> {
  const body = parseBody(text);
  if (!isObject(body)) {
    const issue = { path: [], message: `expected a JSON object, got ${describeBody(text)}` };
    throw unusable('The response is a success without a usable body.', [issue], body, attempt, known());
  }
  // Before the schema, which an error's body need not fit. -1 and 999 have no stated meaning (section 7.2).
  if (isOtherThanZero(body['status'])) {
    const { httpStatus, uuid } = known();
    const context = contextOf(attempt, 'unknown', uuid);
    const message =
      `The service answered ${attempt.operation.name} with HTTP ${httpStatus} and a body whose status is ` +
      `${body['status']}, not 0. ${advice(context)} Its own message is in \`error.serviceMessage\`.`;
    throw new FailedAttempt(new ApiError(message, { ...context, httpStatus, body }), 'unknown', httpStatus);
  }
  const validation = validate(schema, body);
  if (validation.issues !== undefined) {
    const summary = 'The response is a success, but essential fields are missing or invalid.';
    throw unusable(summary, validation.issues, body, attempt, known());
  }
  return { result: validation.value, leftOut: validation.leftOut };
}

/** Accepts a number, or a number as text. Other text does not have the documented type: the schema leaves it out. */
function isOtherThanZero(status: unknown): boolean {
  const isNumber = typeof status === 'number' || (typeof status === 'string' && /^-?\d+$/.test(status));
  return isNumber && Number(status) !== 0;
}

function httpFailure(
  { header, text }: Received,
  attempt: Attempt,
  { httpStatus, outcome, uuid }: Known,
  secrets: Secrets,
): FailedAttempt {
  const context = contextOf(attempt, outcome, uuid);
  const explanation = explain(httpStatus, header, attempt, secrets);
  const message = `The service answered ${attempt.operation.name} with HTTP ${httpStatus}${explanation}. ${advice(context)}`;
  const retryAfterMs = parseRetryAfter(header('retry-after'));
  const error = new ApiError(message, { ...context, httpStatus, body: parseBody(text), retryAfterMs });
  return new FailedAttempt(error, outcome, httpStatus);
}

/** The likely cause and the way out, if the status tells. */
function explain(httpStatus: number, header: Received['header'], { url }: Attempt, secrets: Secrets): string {
  if (httpStatus >= 300 && httpStatus < 400) {
    const location = header('location');
    const origin =
      location !== null && URL.canParse(location) ? ` to ${secrets.redact(new URL(location).origin)}` : '';
    return `, a redirect${origin}, which is never followed because the credentials would go with it. Check \`baseUrl\``;
  }
  if (httpStatus === 401 || httpStatus === 403) {
    return '. Check that `apiKey` and `apiToken` belong to this `baseUrl`';
  }
  if (httpStatus === 404) {
    return ` for the path ${secrets.redact(new URL(url).pathname)}. Check the identifier, and the path prefix of \`baseUrl\``;
  }
  if (httpStatus === 429) return ': too many requests';
  if (httpStatus === 400 || httpStatus === 422) {
    return '. The reason is in `error.serviceMessage` or in `error.body`';
  }
  return '';
}

function unusable(
  summary: string,
  issues: readonly ValidationIssue[],
  body: unknown,
  attempt: Attempt,
  { httpStatus, uuid }: Known,
): FailedAttempt {
  const context = contextOf(attempt, 'unknown', uuid);
  const details = issues.length === 0 ? '' : `${summarize(issues)}. `;
  const message = `${summary} ${details}${advice(context)}`;
  const error = new InvalidResponseError(message, { ...context, issues, body });
  return new FailedAttempt(error, 'unknown', httpStatus);
}

/** The text parsed as JSON, or the text itself if it is not JSON. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describeBody(text: string): string {
  if (text.trim() === '') return 'nothing';
  if (/^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text)) {
    return 'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?';
  }
  const body = parseBody(text);
  if (Array.isArray(body)) return 'a list';
  return typeof body === 'string' && body === text ? 'text that is not JSON' : 'another JSON value';
}
