import type { SandboxTransaction } from '../../model/transactions';
import { usePage } from './page-context';
import { ActButton, CopyButton, fieldsOf, html, Invented, money, StatusBadge } from './parts';

/** What the payer and the bank can do with a journey in its present state. */
export function JourneyActions({ journey }: { journey: SandboxTransaction }) {
  const { texts, act } = usePage();
  const { uuid, referenceCode, situation } = journey;
  const path = `/transactions/${encodeURIComponent(uuid)}`;
  const refund = (event: Event) => {
    const { amount } = fieldsOf(event);
    return act('POST', `${path}/refund`, amount ? { amount: Number(amount) } : {});
  };
  return html`<div class="actions">
    ${
      situation === 'PENDING' &&
      html`<${ActButton} label=${texts.pay} what=${referenceCode} path=${`${path}/pay`} kind="main" />
        <${ActButton} label=${texts.cancel} what=${referenceCode} path=${`${path}/cancel`} />`
    }
    ${
      situation === 'PAID' &&
      html`<form onSubmit=${refund}>
        <input
          name="amount"
          type="number"
          step="0.01"
          min="0.01"
          aria-label=${`${texts.refundAmount}: ${referenceCode}`}
          placeholder=${texts.everything}
        />
        <button>${texts.refund}</button>
      </form>`
    }
    ${situation !== 'CANCELLED' && html`<${ActButton} label=${texts.reverse} what=${referenceCode} path=${`${path}/reverse`} />`}
    ${situation !== 'CANCELLED' && html`<${ScenarioForm} path=${path} what=${referenceCode} />`}
  </div>`;
}

/** Plays a scenario on a journey: what may happen to its payments. */
function ScenarioForm({ path, what }: { path: string; what: string }) {
  const { texts, state, act } = usePage();
  const onSubmit = (event: Event) => act('POST', `${path}/scenario`, { name: fieldsOf(event)['name'] });
  return html`<form onSubmit=${onSubmit}>
    <select name="name" aria-label=${`${texts.scenario}: ${what}`}>
      ${state.scenarios.map((name) => html`<option key=${name}>${name}</option>`)}
    </select>
    <button aria-label=${`${texts.play}: ${what}`}>${texts.play}</button>
    <${Invented} row="scheduledPayments" />
  </form>`;
}

/** The scheduled payments of a paid journey, and the buttons for the next one. */
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
          <${StatusBadge} status=${status} />
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

/** The journey's reversals. */
export function Reversals({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  if (journey.reversals.length === 0) return null;
  return html`<h3>${texts.reversals}</h3>
    <ul class="rows">
      ${journey.reversals.map(({ uuid, amount, status }) => {
        const path = `/reversals/${encodeURIComponent(uuid)}`;
        return html`<li key=${uuid}>
          <span>${money(amount, journey.currency, language)}</span>
          <${StatusBadge} status=${status} />
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
