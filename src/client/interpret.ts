import {
  ApiError,
  InvalidResponseError,
  type Outcome,
  type PaymentsError,
  type ValidationIssue,
} from '../errors';
import { advice } from '../errors/call-error';
import { summarize } from '../errors/validation-issue';
import { type Schema, validate } from '../schemas/schema';
import type { Call } from './call';
import { parseRetryAfter } from './retry-policy';

/** An answer of the service, its body as far as it came. */
export interface Answer {
  readonly httpStatus: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** The body is larger than allowed. */
  readonly tooLarge: boolean;
}

/** Takes the credentials out of a text that the service wrote. */
export type Redact = (text: string) => string;

/** What an HTTP status alone says of the outcome: 4xx is a refusal, anything else may have taken effect. */
export function outcomeOfStatus(httpStatus: number): Outcome {
  return httpStatus >= 400 && httpStatus < 500 ? 'refused' : 'unknown';
}

/**
 * The body of a successful answer, or the error that the answer stands for.
 *
 * @throws `ApiError` for a status outside 2xx, and for a body whose `status` is not 0
 * @throws `InvalidResponseError` for a success that cannot be used
 */
export function interpret<T>(answer: Answer, schema: Schema<unknown, T>, call: Call, redact: Redact): T {
  const { httpStatus, text } = answer;
  if (httpStatus < 200 || httpStatus > 299) throw httpError(answer, call, redact);
  if (answer.tooLarge) {
    throw invalidResponse('The answer is larger than `maxResponseBytes`.', [], text, call, redact);
  }
  const body = parseBody(text);
  if (!isObject(body)) {
    const issue = {
      path: [],
      message: text === '' ? 'expected a JSON object, got nothing' : 'expected a JSON object',
    };
    throw invalidResponse('The answer is a success without a usable body.', [issue], body, call, redact);
  }
  // Before the schema, which an error's body has no reason to fit. -1 and 999 have no stated meaning (section 7.2).
  if (typeof body['status'] === 'number' && body['status'] !== 0) {
    const context = call.context('unknown');
    const message =
      `The service answered ${call.operation.name} with HTTP ${httpStatus} and a body whose status is ` +
      `${body['status']}, not 0. ${advice(context)} Its own words are in \`serviceMessage\`.`;
    throw call.failed(new ApiError(message, { ...context, httpStatus, body }), 'unknown');
  }
  const result = validate(schema, body);
  if (result.issues !== undefined) {
    throw invalidResponse(
      'The answer is a success that lacks what it is for.',
      result.issues,
      body,
      call,
      redact,
    );
  }
  return result.value;
}

function httpError(answer: Answer, call: Call, redact: (text: string) => string): PaymentsError {
  const { httpStatus, text } = answer;
  const outcome = outcomeOfStatus(httpStatus);
  const context = call.context(outcome);
  const message = `The service answered ${call.operation.name} with HTTP ${httpStatus}${explain(answer, redact)}. ${advice(context)}`;
  const body = parseBody(text);
  const retryAfterMs = parseRetryAfter(answer.header('retry-after'));
  return call.failed(new ApiError(message, { ...context, httpStatus, body, retryAfterMs }), outcome);
}

/** The likely cause and the way out, where the status tells. */
function explain({ httpStatus, header }: Answer, redact: Redact): string {
  if (httpStatus >= 300 && httpStatus < 400) {
    const location = header('location');
    const origin =
      location !== null && URL.canParse(location) ? ` to ${redact(new URL(location).origin)}` : '';
    return `, a redirect${origin}, which is never followed because the credentials would go with it. Check \`baseUrl\``;
  }
  if (httpStatus === 401 || httpStatus === 403)
    return '. Check that `apiKey` and `apiToken` belong to this `baseUrl`';
  if (httpStatus === 404) return '. Check the identifier, and the path prefix of `baseUrl`';
  if (httpStatus === 429) return ': too many requests';
  return '';
}

function invalidResponse(
  summary: string,
  issues: readonly ValidationIssue[],
  body: unknown,
  call: Call,
  redact: Redact,
): PaymentsError {
  const context = call.context('unknown');
  const uuid = call.operation.name === 'createRecurringCheckout' ? findUuid(body) : undefined;
  const next =
    uuid === undefined
      ? advice(context)
      : 'The journey exists: query it by `uuid`, and do not create it again.';
  const details = issues.length === 0 ? '' : `${summarize(issues)}. `;
  const message = `${summary} ${details}${next}`;
  const error = new InvalidResponseError(message, { ...context, issues, body, uuid: uuid && redact(uuid) });
  return call.failed(error, 'unknown');
}

/** The uuid in a checkout's answer, also in one that breaks off or is not quite as documented. */
function findUuid(body: unknown): string | undefined {
  if (typeof body === 'string') return /"uuid"\s*:\s*"([^"\\]+)"/.exec(body)?.[1];
  const response = isObject(body) && isObject(body['response']) ? body['response'] : body;
  const uuid = isObject(response) ? response['uuid'] : undefined;
  return typeof uuid === 'string' && uuid !== '' ? uuid : undefined;
}

/** What the text is as JSON, or the text itself where it is none. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
