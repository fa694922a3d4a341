import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
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

/** The amount that a person means: "10,50" and "10.50" are ten and a half, "1.234,50" is more than a thousand. */
export function readAmount(text: string): number {
  const digits = text.replaceAll(/[^\d.,-]/g, '');
  const mark = Math.max(digits.lastIndexOf(','), digits.lastIndexOf('.'));
  const hasDecimals = mark !== -1 && digits.length - mark <= 3;
  const whole = (hasDecimals ? digits.slice(0, mark) : digits).replaceAll(/[.,]/g, '');
  return Number(hasDecimals ? `${whole}.${digits.slice(mark + 1)}` : whole);
}

function number(value: number, language: Language): string {
  return value.toLocaleString(locales[language]);
}

/** The time of day. */
export function time(at: string | number, language: Language): string {
  return new Date(at).toLocaleTimeString(locales[language]);
}

/** A calendar date `yyyy-MM-dd`, as the language writes it. */
export function day(date: string, language: Language): string {
  const [year = 0, month = 1, ofMonth = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, ofMonth).toLocaleDateString(locales[language], { dateStyle: 'medium' });
}

/** The day and the time of day. */
export function dayAndTime(at: string | number, language: Language): string {
  return new Date(at).toLocaleString(locales[language], { dateStyle: 'medium', timeStyle: 'short' });
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
} as const;

/** A state in words, with the service's own word for those who look for it. */
export function StateBadge({ state, of }: { state: keyof typeof tones; of?: 'payment' }) {
  const { texts } = usePage();
  const words = texts as Readonly<Record<string, string>>;
  const word = (of && words[`${of}-${state}`]) ?? texts[state];
  return html`<span class=${`badge ${tones[state]}`} title=${state}>${word}</span>`;
}

/** Marks what the document does not show. Opened by a click or a touch, it says what and why. */
export function Invented({ row }: { row: string }) {
  const { texts, place, setup } = usePage();
  return html`<details class="invented">
    <summary>${texts.invented}</summary>
    <p>${setup.inventions[row]?.[place]} ${texts.inventedChange} <code>${row}</code></p>
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
  return html`<pre tabindex="0" aria-label=${what}>${text}</pre>
    <${CopyButton} text=${() => text} what=${what} />`;
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
    ${text !== undefined && html`<pre tabindex="0" aria-label=${props.label}>${text}</pre>`}
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
export function Card(props: { title: string; extra?: ComponentChildren; children?: ComponentChildren }) {
  const id = useId();
  return html`<section class="card" aria-labelledby=${id}>
    <div class="head"><h2 id=${id}>${props.title}</h2>${props.extra}</div>
    ${props.children}
  </section>`;
}
