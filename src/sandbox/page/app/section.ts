import type { ComponentChildren } from 'preact';
import { html } from './html';

/** A part of the page with its heading. */
export function Section(props: { id: string; title: string; count?: number; children: ComponentChildren }) {
  return html`<section aria-labelledby=${props.id}>
    <h2 id=${props.id}>${props.title}${props.count ? html` <span class="count">${props.count}</span>` : ''}</h2>
    ${props.children}
  </section>`;
}
