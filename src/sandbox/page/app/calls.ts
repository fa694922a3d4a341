import { Call } from './call';
import { html } from './html';
import { usePage } from './page-context';
import { Section } from './section';

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
