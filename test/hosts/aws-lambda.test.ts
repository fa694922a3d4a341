import { randomUUID } from 'node:crypto';
import type {
  ALBHandler,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLHandler,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import { expect, it } from 'vitest';
import { fixtures } from '../../src/testing';
import { authorization } from '../helpers/deliver';
import { acted, testHost } from './checks';
import {
  functionUrl,
  httpApi,
  invoke,
  loadBalancer,
  loadBalancerWithLists,
  restApi,
  serveLambda,
  sqsEvent,
} from './gateways';

const { handler } = await import('./aws-lambda');

// The types of AWS take the function as it is.
handler satisfies APIGatewayProxyHandler;
handler satisfies APIGatewayProxyHandlerV2;
handler satisfies LambdaFunctionURLHandler;
handler satisfies ALBHandler;

testHost('AWS Lambda, behind a REST API', () => serveLambda(handler, restApi));
testHost('AWS Lambda, behind a REST API with binary media types', () =>
  serveLambda(handler, restApi, { base64: true }),
);
testHost('AWS Lambda, behind an HTTP API', () => serveLambda(handler, httpApi));
testHost('AWS Lambda, behind a function URL, with a body in Base64', () =>
  serveLambda(handler, functionUrl, { base64: true }),
);
testHost('AWS Lambda, behind a load balancer', () => serveLambda(handler, loadBalancer));
testHost('AWS Lambda, behind a load balancer with multi-value headers', () =>
  serveLambda(handler, loadBalancerWithLists, { base64: true }),
);

it('SQS: of a batch, only the messages that were not acted on come again', async () => {
  const { handler: sqs } = await import('./aws-sqs');
  const message = (id: string, changes = {}, more = {}) => {
    const body = fixtures.payment({ saleToken: randomUUID(), shopper: { firstName: 'João' }, ...changes });
    return { id, token: body.saleToken, body: JSON.stringify(body), authorization, ...more };
  };
  const first = message('first');
  const batch = [
    first,
    message('fails', { referenceCode: 'fails once' }),
    message('forged', {}, { authorization: 'Basic d3Jvbmc6d3Jvbmc=' }),
    message('contradictory', {}, { query: 'refund=true&type=refund' }),
    { ...first, id: 'duplicate' },
    message('last'),
  ];
  const run = async (messages: typeof batch) => {
    const { batchItemFailures } = await invoke<SQSEvent, SQSBatchResponse>(sqs, sqsEvent(messages));
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  expect(await run(batch)).toEqual(['fails', 'forged', 'contradictory']);
  expect(batch.map(({ token }) => acted(token).length)).toEqual([1, 0, 0, 0, 1, 1]);
  expect(acted(first.token)).toEqual([first.body]);

  // SQS delivers the failed ones again, and after `maxReceiveCount` moves them to the dead-letter queue.
  expect(await run(batch.slice(1, 4))).toEqual(['forged', 'contradictory']);
  expect(batch.map(({ token }) => acted(token).length)).toEqual([1, 1, 0, 0, 1, 1]);
});
