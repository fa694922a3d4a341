import { fieldsOf } from './fields';
import { html } from './html';
import { usePage } from './page-context';
import { Section } from './section';

const example = '{\n  "event": "scheduled-payment",\n  "status": "PAID"\n}';

/** Sends a notification that the document does not show. */
export function OwnNotification() {
  const { texts, act, tell } = usePage();
  const onSubmit = (event: Event) => {
    const { payload = '', query } = fieldsOf(event);
    const parsed = parse(payload);
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

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
