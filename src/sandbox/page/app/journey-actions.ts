import type { SandboxTransaction } from '../../model/describe-journey';
import { ActButton } from './act-button';
import { fieldsOf } from './fields';
import { html } from './html';
import { usePage } from './page-context';
import { ScenarioForm } from './scenario-form';

/** What the payer and the bank can do with a journey as it is. */
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
