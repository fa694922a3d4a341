import type { DeliveryAttempt } from '../../delivery/delivery';
import { Badge } from './badge';
import { time } from './format';
import { html } from './html';
import { usePage } from './page-context';

/** How an attempt to deliver ended. */
export function Attempt({ attempt, answer }: { attempt: DeliveryAttempt; answer: string | undefined }) {
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
