/** What every delivery is about: a reversal, which has several states. */
const SUBJECT_ID = 'v-1';

export const SUBJECT = `reversal:${SUBJECT_ID}`;

/** The answers that a handler may give to a notification it can read. */
export const STATUSES: ReadonlySet<number> = new Set([200, 500, 503]);

/** A reversal as the service sends it (document section 6.3), with a body that has been parsed already. */
export function requestFor(state: string) {
  return {
    method: 'POST',
    url: '/notifications?reversing=true&type=reversing',
    headers: { authorization: `Basic ${btoa('key:token')}` },
    body: { uuid: SUBJECT_ID, status: state },
  };
}
