import type { SandboxTransaction } from '../../model/describe-journey';
import { ActButton } from './act-button';
import { Badge } from './badge';
import { CopyButton } from './copy-button';
import { money } from './format';
import { html } from './html';
import { Invented } from './invented';
import { usePage } from './page-context';

const tones = { SCHEDULED: 'open', PAID: 'good', FAILED: 'bad', CANCELLED: 'bad' } as const;

/** The next payments of a paid journey. */
export function ScheduledPayments({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  const { scheduledPayments, currency, referenceCode } = journey;
  if (scheduledPayments.length === 0) return null;
  const next = scheduledPayments.find(({ status }) => status === 'SCHEDULED');
  const path = `/scheduled-payments/${encodeURIComponent(next?.instructionId ?? '')}`;
  return html`<h3>${texts.scheduled} <${Invented} row="scheduledPayments" /></h3>
    <ul class="rows">
      ${scheduledPayments.map(
        ({ instructionId, dueDate, amount, status }) => html`<li key=${instructionId}>
          <span>${dueDate}</span>
          <span>${money(amount, currency, language)}</span>
          <${Badge} text=${status} tone=${tones[status]} />
          <code>${instructionId}</code>
          <${CopyButton} text=${instructionId} what=${`${texts.instruction} ${dueDate}`} />
        </li>`,
      )}
    </ul>
    ${
      next !== undefined &&
      html`<div class="actions">
        <${ActButton} label=${texts.payNext} what=${referenceCode} path=${`${path}/pay`} />
        <${ActButton} label=${texts.failNext} what=${referenceCode} path=${`${path}/fail`} />
      </div>`
    }`;
}
