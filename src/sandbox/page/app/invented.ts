import { html } from './html';
import { usePage } from './page-context';

/** Says that the document does not show something, and where it is silent. */
export function Invented({ row }: { row: string }) {
  const { texts, state } = usePage();
  const notShown = state.inventions[row];
  const section = notShown?.split(':')[0];
  return html`<span class="invented" title=${notShown}>${texts.invented}${section ? ` (${section})` : ''}</span>`;
}
