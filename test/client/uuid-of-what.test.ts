import { describe, expect, it } from 'vitest';
import { dropConnection, reply, startHttpServer } from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { checkoutAnswer, clientFor, failureOf, operations, withoutBackOff } from './support';

const [create, query, cancel] = operations;

describe('a uuid that is not the journey’s does not make an error say that the journey exists', () => {
  it.each([500, 502, 504, 408])('when the body of a %d has one of the gateway’s own', async (status) => {
    const server = await startHttpServer(reply(status, { message: 'upstream', uuid: 'trace-1' }));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ outcome: 'unknown', uuid: undefined });
    expect(thrown.message).toContain('The journey may exist');
  });

  it('when a 429 had one and the next attempt lost its connection', async () => {
    withoutBackOff();
    const turnedAway = reply(429, { response: { uuid: 'not-created' } });
    const server = await startHttpServer(turnedAway, dropConnection);
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 2, uuid: undefined });
    expect(thrown.message).toContain('The journey may exist');
  });
});

it('another uuid beside the journey’s does not make the journey’s ambiguous', async () => {
  const text = JSON.stringify({ uuid: 'request-1', ...checkoutAnswer() }).slice(0, -20);
  const server = await startRawServer((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n${text}`),
  );
  expect(await failureOf(create.call(clientFor(server)))).toMatchObject({ uuid: 'uuid-1' });
});

it('the uuid from a failed attempt of a query is kept when the next attempt brings none', async () => {
  withoutBackOff();
  const server = await startHttpServer(reply(503, { uuid: 'uuid-1' }), dropConnection);
  const thrown = await failureOf(query.call(clientFor(server), { maxRetries: 1 }));
  expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 2, uuid: 'uuid-1' });
});

it('the error of a cancellation has no uuid, because the documented response has none', async () => {
  const server = await startHttpServer(reply(504, { uuid: 'trace-1' }));
  expect(await failureOf(cancel.call(clientFor(server)))).toMatchObject({ uuid: undefined });
});
