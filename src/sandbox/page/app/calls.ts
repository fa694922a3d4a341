import type { ClientCall } from '../call-log';
import { usePage } from './page-context';
import { Badge, html, Invented, NewestFirst, pretty, time } from './parts';

/** The calls of the merchant's client, the newest first. */
export function Calls() {
  const { texts, state } = usePage();
  const show = (call: ClientCall) => html`<${Call} key=${call.id} call=${call} />`;
  return html`<${NewestFirst} id="calls" title=${texts.calls} items=${state.calls} none=${texts.noCalls} show=${show} />`;
}

/** One call, with hints that the real service would not give. */
function Call({ call }: { call: ClientCall }) {
  const { texts, language } = usePage();
  const { method, path, operation, status, fault, durationMs, invention, advice } = call;
  const tone = status !== undefined && status < 400 ? 'good' : 'bad';
  return html`<article class="card" aria-label=${operation}>
    <p class="line">
      <strong class="name">${operation}</strong>
      <${Badge} text=${status === undefined ? texts.ended : `HTTP ${status}`} tone=${tone} />
      ${fault !== undefined && html`<span class="hint">${texts.fault}: ${fault}</span>`}
      ${invention !== undefined && html`<${Invented} row=${invention} />`}
      <span class="hint">${time(call.at, language)}, ${durationMs} ms</span>
    </p>
    <p><code>${method} ${path}</code></p>
    ${
      advice.length > 0 &&
      html`<div class="advice">
        <p><strong>${texts.advice}</strong></p>
        <ul>
          ${advice.map(({ path, text }) => html`<li><code>${path}</code>: ${text[language]}</li>`)}
        </ul>
      </div>`
    }
    ${body(texts.requestBody, call.request)} ${body(texts.answerBody, call.answer)}
  </article>`;
}

function body(label: string, text: string) {
  if (text === '') return '';
  return html`<details>
    <summary>${label}</summary>
    <pre tabindex="0" aria-label=${label}>${pretty(text)}</pre>
  </details>`;
}
