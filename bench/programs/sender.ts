// Sends notifications over kept connections, each the next as soon as the answer to the last is there.
//
// Not autocannon: it has latencies in whole milliseconds, and a body that differs in each request costs it more than a
// listener takes, so that the load would be measured and not the listener. Here a request is bytes with a number in
// their midst.
import { connect, type Socket } from 'node:net';
import { quantile } from '../lib/statistics';
import type { LoadRequest, LoadResult } from './load/messages';
import { NUMBER_DIGITS, preparedRequest } from './load/prepared-request';

/** Runs on, so that no sale is ever sent twice. */
let lastNumber = 0;

process.on('message', (request: LoadRequest) => {
  load(request).then((result) => process.send?.(result));
});
process.send?.('ready');

async function load(request: LoadRequest): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: request.connections }, () => open(request.port)));
  const latencies: number[] = [];
  const rest = stayAwake();
  const start = performance.now();
  const end = start + request.milliseconds;
  await Promise.all(sockets.map((socket) => sendUntil(end, socket, request, latencies)));
  const seconds = (performance.now() - start) / 1000;
  rest();
  for (const socket of sockets) socket.destroy();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** To wake a process that sleeps costs whoever writes to it, which would be the listener, more than a request does. */
function stayAwake(): () => void {
  let awake = true;
  const turn = () => {
    if (awake) setImmediate(turn);
  };
  turn();
  return () => {
    awake = false;
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function sendUntil(end: number, socket: Socket, request: LoadRequest, latencies: number[]): Promise<void> {
  const { bytes, numberAt } = preparedRequest(request);
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let answer = '';
    const send = () => {
      const number = request.subjects === 'new' ? ++lastNumber : 0;
      bytes.write(String(number).padStart(NUMBER_DIGITS, '0'), numberAt, 'latin1');
      answer = '';
      sentAt = performance.now();
      socket.write(bytes);
    };
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      // With a length, or in chunks.
      if (!answer.endsWith('\r\n\r\nOK') && !answer.endsWith('0\r\n\r\n')) return;
      if (!answer.startsWith('HTTP/1.1 200')) reject(new Error(`The listener answered: ${answer}`));
      const now = performance.now();
      latencies.push(now - sentAt);
      if (now < end) send();
      else resolve();
    });
    socket.once('close', () => reject(new Error('The listener closed the connection.')));
    send();
  });
}
