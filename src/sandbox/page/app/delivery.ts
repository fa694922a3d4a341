import type { DeliveryDetails } from '../../delivery/delivery-log';
import { ActButton } from './act-button';
import { Attempt } from './attempt';
import { Badge } from './badge';
import { CopyButton } from './copy-button';
import { Countdown } from './countdown';
import { curlOf, requestOf } from './delivery-request';
import { html } from './html';
import { usePage } from './page-context';

const tones = { pending: 'open', delivered: 'good', 'given-up': 'bad' } as const;

/** One notification: its attempts, and the request as it was sent. */
export function Delivery({ delivery }: { delivery: DeliveryDetails }) {
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
