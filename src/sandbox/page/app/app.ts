import { useEffect, useState } from 'preact/hooks';
import { Calls } from './calls';
import { Connection } from './connection';
import { Deliveries } from './deliveries';
import { Faults } from './faults';
import { html } from './html';
import { Journeys } from './journeys';
import { LanguageSwitch } from './language-switch';
import { Listener } from './listener';
import { OwnNotification } from './own-notification';
import { type Page, PageContext } from './page-context';
import { PayOut } from './pay-out';
import { firstLanguage, type Language, rememberLanguage } from './texts';
import { english } from './texts-en';
import { portuguese } from './texts-pt';
import { callSandbox, useSandbox } from './use-sandbox';

/** The whole page. */
export function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [problem, tell] = useState('');
  const { state, isConnected } = useSandbox();
  const texts = language === 'pt' ? portuguese : english;

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
