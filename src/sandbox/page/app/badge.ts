import { html } from './html';

/** A state as a word; the color only repeats it. */
export function Badge({ text, tone }: { text: string; tone: 'good' | 'bad' | 'open' }) {
  return html`<span class=${`badge ${tone}`}>${text}</span>`;
}
