/** The subject of every delivery: a reversal, because it has several states. */
const SUBJECT_ID = 'v-1';

export const SUBJECT = `reversal:${SUBJECT_ID}`;

/** The statuses with which a handler may answer a notification that it can read. */
export const STATUSES: ReadonlySet<number> = new Set([200, 500, 503]);

/** A reversal as the service sends it (document section 6.3), with a parsed body. */
export function requestFor(state: string) {
  return {
    method: 'POST',
    url: '/notifications?reversing=true&type=reversing',
    headers: { authorization: `Basic ${btoa('key:token')}` },
    body: { uuid: SUBJECT_ID, status: state },
  };
}
