import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { ServiceAnswer } from '../model/answers';
import type { Ending } from '../model/operation-faults';

/** Writes an answer. The length that is announced is always that of the whole body. */
export function sendAnswer(response: ServerResponse, answer: ServiceAnswer, ending: Ending = 'whole'): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  if (ending === 'whole') {
    response.end(body);
    return;
  }
  const half = body.subarray(0, Math.floor(body.length / 2));
  response.write(half, () => {
    if (ending === 'truncated') response.destroy();
  });
}
