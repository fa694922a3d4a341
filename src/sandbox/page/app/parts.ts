import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { usePage } from './page-context';
import type { Language } from './texts';

/** Markup as a template: text in it is always text, never HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

const locales = { en: 'en-US', pt: 'pt-BR' } as const;

/** An amount with its currency; plain text when the currency code is malformed. */
export function money(amount: number, currency: string, language: Language): string {
  try {
    return new Intl.NumberFormat(locales[language], { style: 'currency', currency }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** The time of day. */
export function time(at: string | number, language: Language): string {
  return new Date(at).toLocaleTimeString(locales[language]);
}

/** JSON with indentation; other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** A part of the page with its heading. */
export function Section(props: { id: string; title: string; count?: number; children: ComponentChildren }) {
  return html`<section aria-labelledby=${props.id}>
    <h2 id=${props.id}>${props.title}${props.count ? html` <span class="count">${props.count}</span>` : ''}</h2>
    ${props.children}
  </section>`;
}

/** A part of the page that lists something, the newest first. */
export function NewestFirst<Item>(props: {
  id: string;
  title: string;
  items: readonly Item[];
  /** The text for an empty list. */
  none: string;
  show: (item: Item, index: number) => VNode;
}) {
  const { texts, state } = usePage();
  const { id, title, items, none, show } = props;
  return html`<${Section} id=${id} title=${title} count=${items.length}>
    ${items.length === 0 && html`<p class="hint">${none}</p>`}
    ${[...items].reverse().map(show)}
    ${items.length === state.listLength && html`<p class="hint">${texts.showing}</p>`}
  </${Section}>`;
}

/** A state as a word; the color only repeats it. */
export function Badge({ text, tone }: { text: string; tone: 'good' | 'bad' | 'open' }) {
  return html`<span class=${`badge ${tone}`}>${text}</span>`;
}

const tones = { PENDING: 'open', SCHEDULED: 'open', PAID: 'good', FAILED: 'bad', CANCELLED: 'bad' } as const;

/** A state, in the service's own word. */
export function StatusBadge({ status }: { status: keyof typeof tones }) {
  return html`<${Badge} text=${status} tone=${tones[status]} />`;
}

/** Marks something as invented, with the section of the document that leaves it open. */
export function Invented({ row }: { row: string }) {
  const { texts, state } = usePage();
  const notShown = state.inventions[row];
  const section = notShown?.split(':')[0];
  return html`<span class="invented" title=${notShown}>${texts.invented}${section ? ` (${section})` : ''}</span>`;
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const { texts } = usePage();
  const [isCopied, setCopied] = useState(false);
  const onClick = async () => {
    await copy(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const shown = label ?? texts.copy;
  return html`<button type="button" class="small" aria-label=${`${isCopied ? texts.copied : shown}: ${what}`} onClick=${onClick}>
    ${isCopied ? texts.copied : shown}
  </button>`;
}

/** Outside a secure context, such as plain http to a host name, only the old `copy` command works. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

/** A button that makes a control call. It is disabled while the call runs, so that a double click makes one call. */
export function ActButton(props: {
  label: string;
  /** What it acts on, for screen readers. */
  what?: string;
  method?: string;
  path: string;
  body?: object;
  kind?: 'main' | 'small';
}) {
  const { act } = usePage();
  const [isBusy, setBusy] = useState(false);
  const onClick = async () => {
    setBusy(true);
    await act(props.method ?? 'POST', props.path, props.body);
    setBusy(false);
  };
  return html`<button
    type="button"
    class=${props.kind ?? ''}
    aria-label=${props.what === undefined ? undefined : `${props.label}: ${props.what}`}
    aria-disabled=${isBusy ? 'true' : undefined}
    onClick=${isBusy ? undefined : onClick}
  >
    ${props.label}
  </button>`;
}

/** The trimmed values of a form's fields, by name. The browser does not submit the form. */
export function fieldsOf(event: Event): Record<string, string> {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  return Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()]));
}
