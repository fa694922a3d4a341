import type { SendResult } from '../sandbox/delivery/delivery';

/** How an attempt ended, in few words. */
export function describeAnswer({ httpStatus, error }: Pick<SendResult, 'httpStatus' | 'error'>): string {
  if (httpStatus !== undefined) return `HTTP ${httpStatus}`;
  return error === 'timeout' ? 'no answer in time' : `no answer (${error})`;
}
