import { ConfigurationError } from '../errors/configuration-error';
import { isObject } from '../shared/objects';
import { answer } from './answer';
import type { WebhookHandler } from './handler';
import { reporterOf } from './report-log';

/**
 * The part of an AWS Lambda event that is used here. The events of a REST API and of an HTTP API of API Gateway, of a
 * function URL and of an Application Load Balancer fit.
 */
export type LambdaEvent = {
  /** The HTTP method, in events of format 1.0 and of a load balancer. */
  readonly httpMethod?: string | undefined;
  /** The path, in events of format 1.0 and of a load balancer. */
  readonly path?: string | undefined;
  /** The path, in events of format 2.0. */
  readonly rawPath?: string | undefined;
  /** The query, in events of format 2.0. */
  readonly rawQueryString?: string | undefined;
  /** The query of format 1.0, and of a load balancer without multi-value headers. */
  readonly queryStringParameters?: LambdaRecord<string> | null | undefined;
  /** The whole query of format 1.0, and of a load balancer with multi-value headers. */
  readonly multiValueQueryStringParameters?: LambdaRecord<readonly string[]> | null | undefined;
  /** The headers, under names in any case. */
  readonly headers?: LambdaRecord<string> | null | undefined;
  /** All headers of format 1.0, and of a load balancer with multi-value headers. */
  readonly multiValueHeaders?: LambdaRecord<readonly string[]> | null | undefined;
  /** The body as text, or in Base64. */
  readonly body?: string | null | undefined;
  /** Whether `body` is Base64. */
  readonly isBase64Encoded?: boolean | undefined;
  /** Where the event comes from: it has `http` in format 2.0, and `elb` from a load balancer. */
  readonly requestContext?: object | undefined;
};

type LambdaRecord<Value> = Readonly<Record<string, Value | undefined>>;

/** What the function returns, in the form that all of them take. */
export type LambdaResult = {
  /** The HTTP status. */
  statusCode: number;
  /** The headers. Without them, `multiValueHeaders` has them. */
  headers?: Record<string, string>;
  /** The headers, for a load balancer with multi-value headers. */
  multiValueHeaders?: Record<string, string[]>;
  /** A short text that never tells what went wrong. */
  body: string;
};

/**
 * Turns the handler into an AWS Lambda function behind API Gateway (REST and HTTP APIs), a function URL or an
 * Application Load Balancer.
 *
 * @example
 * ```ts
 * export const handler = toLambda(createWebhookHandler({ credentials, store, on }));
 * ```
 *
 * @throws `ConfigurationError` for an argument that is not a handler
 */
export function toLambda(handler: WebhookHandler): (event: LambdaEvent) => Promise<LambdaResult> {
  if (typeof handler?.handle !== 'function') {
    throw new ConfigurationError(
      'Expected the handler that `createWebhookHandler` returns, or `orders.webhook` of `createOrders`.',
    );
  }
  return async (event) => {
    const method = methodOf(event);
    if (method === undefined) return notKnown(handler);
    const { rawPath, path, isBase64Encoded, body } = event;
    const answered = await handler.handle({
      method,
      url: `${rawPath ?? path ?? ''}?${queryOf(event)}`,
      headers: { ...event.multiValueHeaders, ...event.headers },
      body: body ?? '',
      isBase64Encoded,
    });
    const headers = Object.entries(answered.headers);
    return {
      statusCode: answered.status,
      // A load balancer with multi-value headers sends no `headers`, and takes none.
      ...(event.headers == null && event.multiValueHeaders != null
        ? { multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])) }
        : { headers: Object.fromEntries(headers) }),
      body: answered.body,
    };
  };
}

/** Format 2.0 has the query as it was sent. API Gateway has decoded the parameters of format 1.0, a load balancer not. */
function queryOf(event: LambdaEvent): string {
  if (event.rawQueryString !== undefined) return event.rawQueryString;
  const parameters = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {};
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value] as [string, string]),
  );
  if (contextOf(event).elb !== undefined) return pairs.map((pair) => pair.join('=')).join('&');
  return String(new URLSearchParams(pairs));
}

function contextOf({ requestContext }: LambdaEvent): Context {
  return requestContext ?? {};
}

interface Context {
  readonly http?: { readonly method?: unknown } | null;
  readonly elb?: unknown;
}

/** The method of an event that is an HTTP request. */
function methodOf(event: LambdaEvent | null | undefined): string | undefined {
  if (!isObject(event)) return undefined;
  const method: unknown = event.httpMethod ?? contextOf(event).http?.method;
  return typeof method === 'string' ? method : undefined;
}

function notKnown(handler: WebhookHandler): LambdaResult {
  reporterOf(handler)('internal', { status: 500, message: NOT_KNOWN });
  const { status, headers, body } = answer(500);
  return { statusCode: status, headers: { ...headers }, body };
}

const NOT_KNOWN =
  'The function was called with something other than an event of API Gateway (REST and HTTP APIs), of a function URL or of ' +
  'an Application Load Balancer. Nothing was acted on. Whatever sent it takes the answer for a success, and does not ' +
  'deliver it again. Remove that trigger, or call `handler.handle({ method, url, headers, body })` with the request in it.';
