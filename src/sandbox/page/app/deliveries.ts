import { useEffect, useState } from 'preact/hooks';
import type { DeliveryAttempt } from '../../delivery/delivery';
import type { DeliveryDetails } from '../../delivery/delivery-log';
import type { PageState } from '../page-state';
import { usePage } from './page-context';
import { ActButton, Badge, CopyButton, html, NewestFirst, pretty, time } from './parts';

/** The notifications, the newest first. */
export function Deliveries() {
  const { texts, state } = usePage();
  const none =
    state.webhookUrl === undefined ? `${texts.noDeliveries} ${texts.noListener}` : texts.noDeliveries;
  const show = (delivery: DeliveryDetails) => html`<${Delivery} key=${delivery.id} delivery=${delivery} />`;
  return html`<${NewestFirst} id="deliveries" title=${texts.deliveries} items=${state.deliveries} none=${none} show=${show} />`;
}

const tones = { pending: 'open', delivered: 'good', 'given-up': 'bad' } as const;

/** One notification: its attempts, and the request as it was sent. */
function Delivery({ delivery }: { delivery: DeliveryDetails }) {
  const { texts, state } = usePage();
  const { id, kind, status, attempts, answers, nextAttemptAt } = delivery;
  const words = { pending: texts.pending, delivered: texts.delivered, 'given-up': texts.givenUp };
  return html`<article class="card" aria-label=${`${kind} ${id}`}>
    <p class="line">
      <strong class="name">${kind}</strong>
      <${Badge} text=${words[status]} tone=${tones[status]} />
      <span class="hint">${id}</span>
      ${nextAttemptAt !== undefined && html`<${Countdown} at=${nextAttemptAt} />`}
    </p>
    <ol class="rows">
      ${attempts.map((attempt) => html`<${Attempt} key=${attempt.number} attempt=${attempt} answer=${answers[attempt.number]} />`)}
    </ol>
    <details>
      <summary>${texts.request}</summary>
      <pre tabindex="0" aria-label=${texts.request}>${requestOf(delivery)}</pre>
    </details>
    <div class="actions">
      <${ActButton} label=${texts.redeliver} what=${id} path=${`/deliveries/${id}/redeliver`} kind="small" />
      <${CopyButton} text=${curlOf(delivery, state.defaultCredentials)} what=${id} label=${texts.curl} />
    </div>
  </article>`;
}

/** How an attempt to deliver ended. */
function Attempt({ attempt, answer }: { attempt: DeliveryAttempt; answer: string | undefined }) {
  const { texts, language } = usePage();
  const { number, manual, startedAt, durationMs, httpStatus, error } = attempt;
  const ending = httpStatus === undefined ? `${texts.noAnswer}: ${error}` : `HTTP ${httpStatus}`;
  return html`<li>
    <span>${texts.attempt} ${number}${manual ? ` (${texts.manual})` : ''}</span>
    <${Badge} text=${ending} tone=${httpStatus === 200 ? 'good' : 'bad'} />
    <span class="hint">${time(startedAt, language)}, ${durationMs} ms</span>
    ${answer !== undefined && html`<span class="answer">${texts.answered}: <code>${answer}</code></span>`}
  </li>`;
}

/** The time to the next attempt. Not announced: a screen reader would read out every second. */
function Countdown({ at }: { at: number }) {
  const { texts } = usePage();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000));
  return html`<span class="hint" role="timer">${texts.nextAttempt} ${seconds} s</span>`;
}

type Sent = Pick<DeliveryDetails, 'url' | 'body'>;

/** The request as it went out, with its credentials masked. */
function requestOf({ url, body }: Sent): string {
  const { host, pathname, search } = new URL(url);
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Authorization: Basic ***',
    'Content-Type: application/json',
    '',
    pretty(body),
  ].join('\n');
}

/** The same request as a `curl` command. It names only the default pair, which is no secret. */
function curlOf({ url, body }: Sent, credentials: PageState['defaultCredentials']): string {
  const user =
    credentials === undefined
      ? '"$PAYMENTS_API_KEY:$PAYMENTS_API_TOKEN"'
      : quote(`${credentials.apiKey}:${credentials.apiToken}`);
  return `curl -X POST ${quote(url)} -u ${user} -H 'content-type: application/json' --data-raw ${quote(body)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
