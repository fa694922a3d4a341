import type { SandboxTransaction } from '../../model/describe-journey';
import { ActButton } from './act-button';
import { Badge } from './badge';
import { CopyButton } from './copy-button';
import { money } from './format';
import { html } from './html';
import { usePage } from './page-context';

const tones = { PENDING: 'open', PAID: 'good', CANCELLED: 'bad' } as const;

/** Funds on their way back to the payer. */
export function Reversals({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  if (journey.reversals.length === 0) return null;
  return html`<h3>${texts.reversals}</h3>
    <ul class="rows">
      ${journey.reversals.map(({ uuid, amount, status }) => {
        const path = `/reversals/${encodeURIComponent(uuid)}`;
        return html`<li key=${uuid}>
          <span>${money(amount, journey.currency, language)}</span>
          <${Badge} text=${status} tone=${tones[status]} />
          <code>${uuid}</code>
          <${CopyButton} text=${uuid} what=${texts.uuid} />
          ${
            status === 'PENDING' &&
            html`<${ActButton} label=${texts.complete} what=${uuid} path=${`${path}/complete`} kind="small" />
              <${ActButton} label=${texts.cancelReversal} what=${uuid} path=${`${path}/cancel`} kind="small" />`
          }
        </li>`;
      })}
    </ul>`;
}
