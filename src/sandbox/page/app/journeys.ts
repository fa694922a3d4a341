import { html } from './html';
import { Journey } from './journey';
import { usePage } from './page-context';
import { Section } from './section';

/** The journeys, the newest first. */
export function Journeys() {
  const { texts, state } = usePage();
  const newest = [...state.journeys].reverse();
  return html`<${Section} id="journeys" title=${texts.journeys} count=${newest.length}>
    ${newest.length === 0 && html`<p class="hint">${texts.noJourneys}</p>`}
    ${newest.map((journey, index) => html`<${Journey} key=${journey.uuid} journey=${journey} isNewest=${index === 0} />`)}
    ${newest.length === 50 && html`<p class="hint">${texts.showing}</p>`}
  </${Section}>`;
}
