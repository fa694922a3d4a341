import { Agent } from 'node:http';
import { createConnection } from 'node:net';
import { expect } from 'vitest';
import { authorization, deliver } from '../helpers/deliver';

/**
 * One connection per delivery: workerd closes a connection whose body was not read (after a 401) without announcing
 * it.
 */
const agent = new Agent({ keepAlive: false });

/** Delivers notifications to a program over loopback, and returns how many. */
export async function checkDeliveries(url: string): Promise<number> {
  const hook = `${url}/hook`;
  let count = 0;
  const answerTo = async (...[body, delivery]: [unknown, Parameters<typeof deliver>[2]?]) => {
    count += 1;
    return deliver(hook, body, { timeoutMs: 10_000, agent, ...delivery });
  };
  const payment = { saleToken: 's-1', newStatus: 'PAID' };

  expect(await answerTo(payment)).toMatchObject({ status: 200, body: 'OK' });
  expect(await answerTo(payment)).toMatchObject({ status: 200 });
  const unknown = await answerTo(payment, { headers: { authorization: 'Basic eDp5' } });
  expect(unknown.status).toBe(401);
  expect(unknown.headers['www-authenticate']).toMatch(/^Basic realm/);
  expect(await answerTo(undefined, { method: 'GET' })).toMatchObject({ status: 405 });
  expect(await answerTo('[]')).toMatchObject({ status: 400 });
  expect(await answerTo(' '.repeat(100_000))).toMatchObject({ status: 413 });
  count += 1;
  expect(await answerToHalfABody(hook), 'a body that does not end').toBe(408);
  const slow = { ...payment, saleToken: 'slow-1' };
  const both = await Promise.all([answerTo(slow), answerTo(slow)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
  expect(await answerTo({ saleToken: 'x', other: 'ção' })).toMatchObject({ status: 200 });

  const acted = await (await fetch(`${url}/acted`)).json();
  expect(acted).toEqual(['payment:s-1:PAID', 'payment:slow-1:PAID', `unrecognized:${HASH}`]);
  return count;
}

/** The hash of `{"saleToken":"x","other":"ção"}`, by `sha256sum`. */
const HASH = 'd4a51fe2f9a5826ef05a36336aee9df6cda90c7c303d3b6ff3469f3aba128ac5';

/** Sends the head and half of the body, then nothing, and returns the status of the answer. */
function answerToHalfABody(hook: string): Promise<number> {
  const { hostname, port, pathname } = new URL(hook);
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(port), hostname);
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer came')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed without an answer')));
    socket.setEncoding('latin1').on('data', (chunk) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1]));
      socket.destroy();
    });
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${hostname}`,
      `authorization: ${authorization}`,
      'content-type: application/json',
      'content-length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"saleToken":`);
  });
}
