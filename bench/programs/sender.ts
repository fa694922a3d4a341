// Sends notifications over kept connections. Each connection sends the next one as soon as it has the last answer.
//
// Not autocannon, which measures latencies in whole milliseconds, and needs more CPU for a body that differs in each
// request than a listener needs to handle it: it would measure itself. Here, a request is fixed bytes, and only a number
// in them changes.
import { connect, type Socket } from 'node:net';
import { quantile } from '../lib/statistics';
import type { LoadRequest, LoadResult } from './load/messages';
import { NUMBER_DIGITS, preparedRequest } from './load/prepared-request';

/** Not reset between loads, so that no new sale is sent twice. */
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

/** Keeps this process busy: to wake it up would cost the listener, which writes to it, more than a request. */
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
  const { bytes, numberAt } = preparedRequest(request.port);
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
      // The answer has a Content-Length, or comes in chunks.
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
