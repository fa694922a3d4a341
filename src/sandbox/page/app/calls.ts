import type { ClientCall } from '../call-log';
import { usePage } from './page-context';
import { Badge, html, Invented, pretty, Section, time } from './parts';

/** What the merchant's client called, the newest first. */
export function Calls() {
  const { texts, state } = usePage();
  const newest = [...state.calls].reverse();
  return html`<${Section} id="calls" title=${texts.calls} count=${newest.length}>
    ${newest.length === 0 && html`<p class="hint">${texts.noCalls}</p>`}
    ${newest.map((call) => html`<${Call} key=${call.id} call=${call} />`)}
    ${newest.length === 50 && html`<p class="hint">${texts.showing}</p>`}
  </${Section}>`;
}

/** One call, with what the service would not have said about it. */
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
