import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { filled } from '../../../shared/filled';
import type { Trouble } from '../lists';
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

const marks = { en: ['.', ','], pt: [',', '.'] } as const;

/**
 * The amount that a person means in this language. `undefined` for what is none, or could be another: "1.999" is almost
 * two to a program and two thousand to a Brazilian. "10.50" has only one meaning, in both languages.
 */
export function readAmount(text: string, language: Language): number | undefined {
  const written = text.replace(/^R\$\s*/, '').trim();
  if (/^\d+(?:[.,]\d{1,2})?$/.test(written)) return Number(written.replace(',', '.'));
  const [decimal, group] = marks[language];
  const [whole = '', cents = ''] = written.split(decimal);
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(whole) && !whole.includes(decimal);
  const isSure = /^\d{1,2}$/.test(cents) || (cents === '' && whole.split(group).length > 2);
  if (!isGrouped || !isSure || written.split(decimal).length > 2) return undefined;
  return Number(`${whole.replaceAll(group, '')}.${cents || '0'}`);
}

function number(value: number, language: Language): string {
  return value.toLocaleString(locales[language]);
}

/** The time of day, with the date where it is not today's. */
export function time(at: string | number, language: Language): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const day = isToday ? {} : ({ day: '2-digit', month: '2-digit' } as const);
  return date.toLocaleString(locales[language], {
    ...day,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

/** `35 ms`, or `11.4 s`. */
export function duration(ms: number, language: Language): string {
  if (ms < 1_000) return `${ms}\u00a0ms`;
  return `${(ms / 1_000).toLocaleString(locales[language], { maximumFractionDigits: 1 })}\u00a0s`;
}

/** A text whose `code` is shown as code. */
export function rich(text: string): (string | VNode)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** A calendar date `yyyy-MM-dd`, as the language writes it. */
export function day(date: string, language: Language): string {
  const [year = 0, month = 1, ofMonth = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, ofMonth).toLocaleDateString(locales[language], { dateStyle: 'medium' });
}

/** JSON with indentation; other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

export type Tone = 'good' | 'bad' | 'open' | 'calm';

/** A state as a word; the color only repeats it. */
export function Badge({ text, tone }: { text: string; tone: Tone }) {
  return html`<span class=${`badge ${tone}`}>${text}</span>`;
}

const tones = {
  PENDING: 'open',
  AUTHORIZED: 'calm',
  SCHEDULED: 'calm',
  PAID: 'good',
  FAILED: 'bad',
  CANCELLED: 'bad',
  RETRY: 'open',
  CREATED: 'open',
  APPROVED: 'good',
  REJECTED: 'bad',
  EXPIRED: 'bad',
  CONCLUDED: 'calm',
} as const;

/** A state in words, with the service's own word for those who look for it. */
export function StateBadge({
  state,
  of,
}: {
  state: keyof typeof tones;
  of?: 'payment' | 'reversal' | 'recurrence';
}) {
  const { texts } = usePage();
  const words = texts as Readonly<Record<string, string>>;
  const word = (of && words[`${of}-${state}`]) ?? words[state];
  return html`<span class=${`badge ${tones[state]}`} title=${state}>${word}</span>`;
}

/** Marks what the document does not show. Opened by a click or a touch, it says what and why. */
export function Invented({ row }: { row: string }) {
  const { texts, place, setup } = usePage();
  return html`<details class="invented">
    <summary>${texts.invented}</summary>
    <p>${rich(setup.inventions[row]?.[place] ?? '')} ${texts.inventedChange} <code>${row}</code></p>
  </details>`;
}

/** Copies a text, and says so for a moment. */
export function CopyButton(props: { text: () => string | Promise<string>; what: string; label?: string }) {
  const { texts } = usePage();
  const [isCopied, setCopied] = useState(false);
  const onClick = async () => {
    await copy(await props.text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const shown = props.label ?? texts.copy;
  return html`<button type="button" class="quiet" aria-label=${`${isCopied ? texts.copied : shown}: ${props.what}`} onClick=${onClick}>
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

/** Code to copy. */
export function Snippet({ text, what }: { text: string; what: string }) {
  return html`<div class="snippet">
    <pre tabindex="0" aria-label=${what}>${text}</pre>
    <${CopyButton} text=${() => text} what=${what} />
  </div>`;
}

/** The settings that a client needs. The merchant's own credentials are never shown. */
export function Settings() {
  const { texts, setup } = usePage();
  const { apiKey, apiToken } = setup.defaultCredentials ?? { apiKey: '…', apiToken: '…' };
  const text = `PAYMENTS_BASE_URL=${setup.url}\nPAYMENTS_API_KEY=${apiKey}\nPAYMENTS_API_TOKEN=${apiToken}`;
  return html`<${Snippet} text=${text} what=${texts.connection} />
    ${setup.defaultCredentials === undefined && html`<p class="hint">${texts.ownCredentials}</p>`}`;
}

/** A text that can be read once it is unfolded, and is asked for only then. */
export function Unfold(props: { label: string; load: () => Promise<string> }) {
  const [text, setText] = useState<string>();
  const onToggle = async (event: Event) => {
    if ((event.currentTarget as HTMLDetailsElement).open) setText(await props.load());
  };
  return html`<details class="unfold" onToggle=${onToggle}>
    <summary>${props.label}</summary>
    ${text !== undefined && html`<${Snippet} text=${text} what=${props.label} />`}
  </details>`;
}

/** The time that is left. Not announced: a screen reader would read out every second. */
export function Countdown({ at }: { at: number }) {
  const { texts } = usePage();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000));
  return html`<span class="countdown" role="timer">${texts.nextAttempt} ${seconds} s</span>`;
}

/** The way through a list that is longer than one page. */
export function Pager(props: {
  page: number;
  total: number;
  length: number;
  onPage: (page: number) => void;
}) {
  const { texts, language } = usePage();
  const { page, total, length, onPage } = props;
  if (total <= length) return null;
  const last = Math.ceil(total / length);
  const range = `${number((page - 1) * length + 1, language)}–${number(Math.min(page * length, total), language)}`;
  const step = (label: string, to: number, sign: string) =>
    html`<button type="button" class="quiet" aria-label=${label} disabled=${to < 1 || to > last} onClick=${() => onPage(to)}>${sign}</button>`;
  return html`<nav class="pager" aria-label=${texts.pages}>
    ${step(texts.newer, page - 1, '‹')}
    <span>${range} ${texts.of} ${number(total, language)}</span>
    ${step(texts.older, page + 1, '›')}
  </nav>`;
}

/** A card with a heading. */
export function Card(props: {
  title: string;
  name?: string;
  /** Beside the heading. */
  extra?: unknown;
  children?: ComponentChildren;
}) {
  const id = useId();
  return html`<section class=${`card ${props.name ?? ''}`} aria-labelledby=${id}>
    <div class="head"><h2 id=${id}>${props.title}</h2>${props.extra}</div>
    ${props.children}
  </section>`;
}

/** By the name of a filter: its label, and the text of each value. */
export type Choices = Readonly<
  Record<string, readonly [label: string, options: readonly (readonly [value: string, text: string])[]]>
>;

/** A search field, and selects beside it. */
export function Filters(props: {
  search: string;
  choices: Choices;
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
}) {
  const { search, choices, values, onChange } = props;
  const { texts } = usePage();
  const set = (name: string) => (event: Event) =>
    onChange({ ...values, [name]: (event.currentTarget as HTMLInputElement).value });
  return html`<div class="filters">
    <input type="search" aria-label=${search} title=${search} placeholder=${texts.find} value=${values['search'] ?? ''} onInput=${set('search')} />
    ${Object.entries(choices).map(
      ([
        name,
        [label, options],
      ]) => html`<label key=${name}><span>${label}</span> <select value=${values[name] ?? ''} onChange=${set(name)}>
        ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
      </select></label>`,
    )}
  </div>`;
}

/** How many entries wait until the mouse has left a list. Its line is always there, so that nothing moves. */
export function Waiting({ count }: { count: number | undefined }) {
  const { texts } = usePage();
  return html`<span class="waiting hint" role="status">${count ? filled(texts.waitingEntries, { count }) : ''}</span>`;
}

/** That a notification of a sale has failed, for now or for good. */
export function TroubleBadge({ trouble }: { trouble: Trouble }) {
  const { texts } = usePage();
  return html`<${Badge} text=${texts[`trouble-${trouble}`]} tone=${trouble === 'given-up' ? 'bad' : 'open'} />`;
}
