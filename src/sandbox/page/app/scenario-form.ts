import { fieldsOf } from './fields';
import { html } from './html';
import { Invented } from './invented';
import { usePage } from './page-context';

/** Plays a whole story on a journey: what its payments may go through. */
export function ScenarioForm({ path, what }: { path: string; what: string }) {
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
