import { html } from './html';
import type { Language } from './texts';

const languages: readonly [Language, string, string][] = [
  ['en', 'en', 'English'],
  ['pt', 'pt-BR', 'Português'],
];

/** One button a language. */
export function LanguageSwitch(props: {
  label: string;
  language: Language;
  onChange: (language: Language) => void;
}) {
  return html`<div role="group" aria-label=${props.label} class="languages">
    ${languages.map(
      ([language, lang, name]) => html`<button
        type="button"
        lang=${lang}
        aria-pressed=${String(language === props.language)}
        onClick=${() => props.onChange(language)}
      >
        ${name}
      </button>`,
    )}
  </div>`;
}
