import type { SandboxLogEntry } from '../sandbox/sandbox';
import { describeAnswer, paint, visible } from './output';

type DeliveryEntry = Extract<SandboxLogEntry, { type: 'delivery' }>;
type RequestEntry = Extract<SandboxLogEntry, { type: 'request' }>;

/** A line for a person. */
export function logLine(entry: SandboxLogEntry, retryIntervalMs: number): string {
  const time = paint('dim', new Date().toTimeString().slice(0, 8));
  return `${time}  ${entry.type === 'request' ? requestLine(entry) : deliveryLine(entry, retryIntervalMs)}`;
}

/** A line of NDJSON. The payload is left out: it may hold personal data, and `GET /sandbox/deliveries` has it. */
export function logRecord(entry: SandboxLogEntry): object {
  const time = new Date().toISOString();
  if (entry.type === 'request') return { time, ...entry };
  const { type, delivery, attempt, uuid, referenceCode } = entry;
  const { id, kind, url, status } = delivery;
  return { time, type, delivery: { id, kind, url, status }, attempt, uuid, referenceCode };
}

function requestLine({ method, path, status, fault, durationMs, uuid, referenceCode }: RequestEntry): string {
  const answer = status === undefined ? 'connection ended' : String(status);
  const isRight = status !== undefined && status < 400;
  const injected = fault === undefined ? '' : `  fault: ${fault}`;
  return `${visible(`${method} ${path}`)}  ${paint(isRight ? 'green' : 'red', answer)}  ${durationMs} ms${injected}${journey({ uuid, referenceCode })}`;
}

function deliveryLine(
  { delivery, attempt, uuid, referenceCode }: DeliveryEntry,
  retryIntervalMs: number,
): string {
  const { id, kind, status } = delivery;
  const answer = paint(attempt.httpStatus === 200 ? 'green' : 'red', describeAnswer(attempt));
  const endings = {
    delivered: 'delivered',
    'given-up': paint('red', 'given up'),
    pending: attempt.manual ? 'not delivered' : `next attempt in ${retryIntervalMs / 1000} s`,
  };
  const number = attempt.manual ? 'redelivered' : `attempt ${attempt.number}`;
  return `→ ${visible(`${kind} ${id}`)}  ${number}  ${answer}  ${attempt.durationMs} ms  ${endings[status]}${journey({ uuid, referenceCode })}`;
}

/** Which order a line is about. */
function journey({ uuid, referenceCode }: Pick<RequestEntry, 'uuid' | 'referenceCode'>): string {
  const parts = [referenceCode, uuid].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `  ${paint('dim', visible(parts.join(' ')))}`;
}
