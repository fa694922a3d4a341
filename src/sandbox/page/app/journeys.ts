import { useState } from 'preact/hooks';
import type { SandboxTransaction } from '../../model/transactions';
import { JourneyActions, Reversals, ScheduledPayments } from './journey-actions';
import { usePage } from './page-context';
import { CopyButton, html, Invented, money, NewestFirst, StatusBadge, time } from './parts';

/** The journeys, the newest first. */
export function Journeys() {
  const { texts, state } = usePage();
  const show = (journey: SandboxTransaction, index: number) =>
    html`<${Journey} key=${journey.uuid} journey=${journey} isNewest=${index === 0} />`;
  return html`<${NewestFirst} id="journeys" title=${texts.journeys} items=${state.journeys} none=${texts.noJourneys} show=${show} />`;
}

/** One journey. When folded, it shows its reference, amount, state and time. */
function Journey({ journey, isNewest }: { journey: SandboxTransaction; isNewest: boolean }) {
  const { texts, language } = usePage();
  const { uuid, referenceCode, amount, currency, situation, refunded, qrCodeText } = journey;
  // Only the first value: a journey that is being read must not fold when a newer one arrives.
  const [isOpen, setOpen] = useState(isNewest);
  return html`<details
    class="card"
    open=${isOpen}
    onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
  >
    <summary>
      <strong class="name">${referenceCode}</strong>
      <span>${money(amount, currency, language)}</span>
      <${StatusBadge} status=${situation} />
      <span class="hint">${texts.created} ${time(journey.createdAt, language)}</span>
    </summary>
    <div class="journey">
      <div>
        <dl>
          <dt>${texts.reference}</dt>
          <dd>${referenceCode} <${CopyButton} text=${referenceCode} what=${texts.reference} /></dd>
          <dt>${texts.uuid}</dt>
          <dd><code>${uuid}</code> <${CopyButton} text=${uuid} what=${texts.uuid} /></dd>
          ${
            refunded !== undefined &&
            html`<dt>${texts.refunded}</dt>
              <dd>${money(refunded, currency, language)}</dd>`
          }
        </dl>
        <p class="brcode"><code>${qrCodeText}</code></p>
      </div>
      <figure>
        <img src=${`/sandbox/qr-codes/${encodeURIComponent(uuid)}.png`} alt=${`${texts.qrAlt} ${referenceCode}`} />
        <figcaption>
          <${CopyButton} text=${qrCodeText} what=${referenceCode} label=${texts.qrText} />
          <${Invented} row="qrCodeMerchant" />
        </figcaption>
      </figure>
    </div>
    <${JourneyActions} journey=${journey} />
    <${ScheduledPayments} journey=${journey} />
    <${Reversals} journey=${journey} />
  </details>`;
}
