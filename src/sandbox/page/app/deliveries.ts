import { Delivery } from './delivery';
import { html } from './html';
import { usePage } from './page-context';
import { Section } from './section';

/** The notifications, the newest first. */
export function Deliveries() {
  const { texts, state } = usePage();
  const newest = [...state.deliveries].reverse();
  return html`<${Section} id="deliveries" title=${texts.deliveries} count=${newest.length}>
    ${
      newest.length === 0 &&
      html`<p class="hint">${texts.noDeliveries} ${state.webhookUrl === undefined && texts.noListener}</p>`
    }
    ${newest.map((delivery) => html`<${Delivery} key=${delivery.id} delivery=${delivery} />`)}
    ${newest.length === 50 && html`<p class="hint">${texts.showing}</p>`}
  </${Section}>`;
}
