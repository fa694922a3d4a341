import { useState } from 'preact/hooks';
import { fieldsOf } from './fields';
import { html } from './html';
import { usePage } from './page-context';
import { Section } from './section';
import { VerifyButton } from './verify-button';

/** Where notifications go. */
export function Listener() {
  const { texts, state, act } = usePage();
  const [isSaved, setSaved] = useState(false);
  const { webhookUrl, canVerify } = state;
  const url = typeof webhookUrl === 'string' ? webhookUrl : '';
  const onSubmit = async (event: Event) => {
    const { webhookUrl } = fieldsOf(event);
    setSaved((await act('PUT', '/webhook-url', webhookUrl ? { webhookUrl } : {})) !== undefined);
  };
  return html`<${Section} id="listener" title=${texts.listener}>
    <div class="card">
      <form class="inline" onSubmit=${onSubmit} onInput=${() => setSaved(false)}>
        <label>
          ${texts.listenerUrl}
          <input name="webhookUrl" type="url" defaultValue=${url} key=${url} placeholder="http://127.0.0.1:3000/webhooks" />
        </label>
        <button>${isSaved ? texts.saved : texts.save}</button>
      </form>
      <p class="hint">${texts.listenerHint}</p>
      ${
        typeof webhookUrl === 'object' &&
        html`<p class="hint">${texts.listenerByKind}</p>
          <ul class="rows">
            ${Object.entries(webhookUrl).map(([kind, target]) => html`<li key=${kind}>${kind}: <code>${target}</code></li>`)}
          </ul>`
      }
      ${canVerify && url !== '' && html`<${VerifyButton} url=${url} />`}
    </div>
  </${Section}>`;
}
