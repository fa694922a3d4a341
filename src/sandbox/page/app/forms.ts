import { parseObject } from '../../../shared/objects';
import { usePage } from './page-context';
import { fieldsOf, html, Section } from './parts';

/** A form for a payout, which succeeds or fails with a documented code. */
export function PayOut() {
  const { texts, state, act } = usePage();
  const onSubmit = (event: Event) => {
    const { amount, fail, reason } = fieldsOf(event);
    return act('POST', '/payouts', {
      amount: Number(amount),
      ...(fail ? { fail } : {}),
      ...(fail && reason ? { reason } : {}),
    });
  };
  return html`<${Section} id="payouts" title=${texts.payouts}>
    <form class="card grid" onSubmit=${onSubmit}>
      <label>${texts.amount} <input name="amount" type="number" step="0.01" min="0.01" value="25" required /></label>
      <label>
        ${texts.outcome}
        <select name="fail">
          <option value="">${texts.succeeds}</option>
          ${state.payoutErrorCodes.map((code) => html`<option key=${code} value=${code}>${texts[code]} (${code})</option>`)}
        </select>
      </label>
      <label>${texts.reason} <input name="reason" autocomplete="off" /></label>
      <button>${texts.payOut}</button>
    </form>
  </${Section}>`;
}

const example = '{\n  "event": "scheduled-payment",\n  "status": "PAID"\n}';

/** A form for a notification that the document does not show. */
export function OwnNotification() {
  const { texts, act, tell } = usePage();
  const onSubmit = (event: Event) => {
    const { payload = '', query } = fieldsOf(event);
    const parsed = parseObject(payload);
    if (parsed === undefined) return tell(texts.notJson);
    return act('POST', '/notifications', { payload: parsed, ...(query ? { query } : {}) });
  };
  return html`<${Section} id="own" title=${texts.own}>
    <form class="card grid" onSubmit=${onSubmit}>
      <p class="hint wide">${texts.ownHint}</p>
      <label class="wide">${texts.payload} <textarea name="payload" rows="4" spellcheck="false" defaultValue=${example}></textarea></label>
      <label>${texts.query} <input name="query" placeholder="type=recurrence" autocomplete="off" /></label>
      <button>${texts.send}</button>
    </form>
  </${Section}>`;
}
