import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type {
  ALBEvent,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  LambdaFunctionURLEvent,
  SQSEvent,
} from 'aws-lambda';
import lambdaLocal from 'lambda-local';
import type { LambdaEvent, LambdaResult } from '../../src/webhooks/lambda';
import { type Host, hostOf } from './serve';

for (const transport of lambdaLocal.getLogger().transports) transport.silent = true;

/** Runs an exported function in `lambda-local`, with a context as Lambda gives it. */
export function invoke<Event, Result>(handler: unknown, event: Event): Promise<Result> {
  return lambdaLocal.execute({
    event,
    lambdaFunc: { handler },
    timeoutMs: 30_000,
    verboseLevel: 0,
  }) as Promise<Result>;
}

/** What AWS makes of an HTTP request: an event for the function, whose result is the answer. */
export type Gateway = (request: GatewayRequest) => LambdaEvent;

interface GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names as the client wrote them, with their values. */
  readonly headers: readonly (readonly [string, string])[];
  /** The body, as text or in Base64: API Gateway decides that by its `binaryMediaTypes`. */
  readonly body: { readonly body: string | null; readonly isBase64Encoded: boolean };
}

/** Serves a function over HTTP, behind a gateway. */
export async function serveLambda(
  handler: (event: LambdaEvent) => Promise<LambdaResult>,
  gateway: Gateway,
  { base64 = false } = {},
): Promise<Host> {
  const server = createServer(async (request, response) => {
    const event = gateway(await readRequest(request, base64));
    // What goes to Lambda and back is JSON.
    const result = await invoke<unknown, LambdaResult>(handler, JSON.parse(JSON.stringify(event)));
    const { statusCode, headers, multiValueHeaders, body } = JSON.parse(
      JSON.stringify(result),
    ) as LambdaResult;
    response.writeHead(statusCode, { ...headers, ...multiValueHeaders }).end(body);
  });
  return hostOf(server);
}

async function readRequest(request: IncomingMessage, base64: boolean): Promise<GatewayRequest> {
  const { pathname, search } = new URL(request.url ?? '', 'http://gateway');
  const bytes = await buffer(request);
  const { rawHeaders } = request;
  return {
    method: request.method ?? '',
    path: pathname,
    query: search.slice(1),
    headers: rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : [])),
    body: {
      body: bytes.length === 0 ? null : bytes.toString(base64 ? 'base64' : 'utf8'),
      isBase64Encoded: base64 && bytes.length > 0,
    },
  };
}

const record = (pairs: Iterable<readonly [string, string]>) => Object.fromEntries(pairs);
const lists = (pairs: Iterable<readonly [string, string]>) => {
  const all: Record<string, string[]> = {};
  for (const [name, value] of pairs) all[name] = [...(all[name] ?? []), value];
  return all;
};
const lowerCase = (pairs: GatewayRequest['headers']) =>
  pairs.map(([name, value]) => [name.toLowerCase(), value] as const);
/** API Gateway passes the names on as they came. Clients write them in any case. */
const titleCase = (pairs: GatewayRequest['headers']) =>
  pairs.map(([name, value]) => [name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()), value] as const);

/** An event of format 1.0: a REST API, or an HTTP API that is set to it. */
export const restApi: Gateway = ({ method, path, query, headers, body }) => {
  const decoded = [...new URLSearchParams(query)];
  const event: APIGatewayProxyEvent = {
    resource: '/webhooks',
    path,
    httpMethod: method,
    headers: record(titleCase(headers)),
    multiValueHeaders: lists(titleCase(headers)),
    queryStringParameters: query === '' ? null : record(decoded),
    multiValueQueryStringParameters: query === '' ? null : lists(decoded),
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'id',
      authorizer: null,
      protocol: 'HTTP/1.1',
      httpMethod: method,
      identity: { sourceIp: '192.0.2.1', userAgent: null } as never,
      path: `/prod${path}`,
      stage: 'prod',
      requestId: 'id=',
      requestTimeEpoch: 1583798639428,
      resourceId: 'abc123',
      resourcePath: '/webhooks',
    },
    ...body,
  };
  return event;
};

/** An event of format 2.0: an HTTP API. */
export const httpApi: Gateway = ({ method, path, query, headers, body }) => {
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: record(lowerCase(headers)),
    ...(query === '' ? {} : { queryStringParameters: record(new URLSearchParams(query)) }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api-id',
      domainName: 'id.execute-api.sa-east-1.amazonaws.com',
      domainPrefix: 'id',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
      requestId: 'id',
      routeKey: '$default',
      stage: '$default',
      time: '12/Mar/2026:19:03:58 +0000',
      timeEpoch: 1583348638390,
    },
    isBase64Encoded: body.isBase64Encoded,
    ...(body.body === null ? {} : { body: body.body }),
  };
  return event;
};

/** A function URL sends an event of format 2.0. */
export const functionUrl: Gateway = (request) => httpApi(request) as LambdaFunctionURLEvent;

/** A load balancer does not decode the query. */
export const loadBalancer: Gateway = ({ method, path, query, headers, body }) => {
  const event: ALBEvent = {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:sa-east-1:123456789012:targetgroup/x/6d0e' },
    },
    httpMethod: method,
    path,
    queryStringParameters: record(encoded(query)),
    headers: record(lowerCase(headers)),
    body: body.body ?? '',
    isBase64Encoded: body.isBase64Encoded,
  };
  return event;
};

/** A load balancer with the target group's attribute `lambda.multi_value_headers.enabled`. */
export const loadBalancerWithLists: Gateway = (request) => {
  const { headers, queryStringParameters, ...event } = loadBalancer(request) as ALBEvent;
  return {
    ...event,
    multiValueHeaders: lists(lowerCase(request.headers)),
    multiValueQueryStringParameters: lists(encoded(request.query)),
  };
};

function encoded(query: string): [string, string][] {
  if (query === '') return [];
  return query.split('&').map((pair) => pair.split('=', 2) as [string, string]);
}

/** What API Gateway's integration with SQS leaves of a request, when its mapping names these two attributes. */
export function sqsEvent(
  messages: readonly {
    readonly id: string;
    readonly body: string;
    readonly authorization: string;
    readonly query?: string;
  }[],
): SQSEvent {
  const text = (stringValue: string) => ({ stringValue, dataType: 'String' as const });
  return {
    Records: messages.map(({ id, body, authorization, query }) => ({
      messageId: id,
      receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
      body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1545082649183',
        SenderId: 'AIDAIENQZJOLO23YVJ4VO',
        ApproximateFirstReceiveTimestamp: '1545082649185',
      },
      messageAttributes: {
        authorization: text(authorization),
        ...(query === undefined ? {} : { query: text(query) }),
      },
      md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:sa-east-1:123456789012:notifications',
      awsRegion: 'sa-east-1',
    })),
  };
}
