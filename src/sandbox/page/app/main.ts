import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Calls } from './calls';
import { Connection, Listener } from './connection';
import { Deliveries } from './deliveries';
import { Faults } from './faults';
import { OwnNotification, PayOut } from './forms';
import { Journeys } from './journeys';
import { callSandbox, type Page, PageContext, useSandbox } from './page-context';
import { html } from './parts';
import { firstLanguage, type Language, rememberLanguage, textsIn } from './texts';

const languages: readonly [Language, string, string][] = [
  ['en', 'en', 'English'],
  ['pt', 'pt-BR', 'Português'],
];

/** One button per language. */
function LanguageSwitch(props: {
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

/** The whole page. */
function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [problem, tell] = useState('');
  const { state, isConnected } = useSandbox();
  const texts = useMemo(() => textsIn(language), [language]);

  useEffect(() => {
    document.documentElement.lang = language === 'pt' ? 'pt-BR' : 'en';
    document.title = texts.title;
    rememberLanguage(language);
  }, [language, texts]);

  const act: Page['act'] = async (method, path, body) => {
    try {
      const answer = await callSandbox(method, path, body);
      tell('');
      return answer as never;
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };

  return html`
    <header>
      <h1>${texts.title}</h1>
      <p class=${isConnected ? 'live' : 'live off'} role="status">
        ${isConnected ? texts.connected : state === undefined ? texts.waiting : texts.disconnected}
      </p>
      <${LanguageSwitch} label=${texts.language} language=${language} onChange=${setLanguage} />
    </header>
    <div role="alert" class=${problem === '' ? 'problem none' : 'problem'}>
      ${problem !== '' && html`<p>${problem}</p><button type="button" onClick=${() => tell('')}>${texts.dismiss}</button>`}
    </div>
    ${
      state !== undefined &&
      html`<${PageContext.Provider} value=${{ texts, language, state, act, tell }}>
        <main>
          <div class="column">
            <${Journeys} />
            <${PayOut} />
            <${OwnNotification} />
            <${Faults} />
          </div>
          <div class="column">
            <${Connection} />
            <${Listener} />
            <${Deliveries} />
            <${Calls} />
          </div>
        </main>
      </${PageContext.Provider}>`
    }
  `;
}

const root = document.getElementById('app');
if (root !== null) render(html`<${App} />`, root);
