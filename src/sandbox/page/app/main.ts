import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageSetup } from '../page-state';
import { Calls, Deliveries } from './activity';
import { Faults } from './faults';
import { ListenerTab, SendTab } from './listener';
import { callSandbox, type Page, PageContext, useSandbox } from './page-context';
import { html } from './parts';
import { Sales } from './sales';
import { firstLanguage, type Language, rememberLanguage, textsIn } from './texts';

const languages: readonly [Language, string, string][] = [
  ['en', 'en', 'English'],
  ['pt', 'pt-BR', 'Português'],
];

const tabs = ['sales', 'deliveries', 'calls', 'faults', 'send', 'listener'] as const;
type Tab = (typeof tabs)[number];

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
        key=${language}
        lang=${lang}
        aria-pressed=${String(language === props.language)}
        onClick=${() => props.onChange(language)}
      >
        ${name}
      </button>`,
    )}
  </div>`;
}

/** What the address shows after `#`: a tab, and the open sale. */
function usePlace(): readonly [tab: Tab, open: string] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const [name = '', open = ''] = hash.slice(1).split('/');
  return [tabs.find((tab) => tab === name) ?? 'sales', open];
}

/** The whole page. */
function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [problem, tell] = useState('');
  const [setup, setSetup] = useState<PageSetup>();
  const { state, isConnected } = useSandbox();
  const [tab, open] = usePlace();
  const texts = useMemo(() => textsIn(language), [language]);

  useEffect(() => {
    document.documentElement.lang = language === 'pt' ? 'pt-BR' : 'en';
    document.title = texts.title;
    rememberLanguage(language);
  }, [language, texts]);
  useEffect(() => {
    callSandbox('GET', '/sandbox/page/setup').then(
      (got) => setSetup(got as PageSetup),
      () => setTimeout(() => location.reload(), 2_000),
    );
  }, []);

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
  const go = (hash: string) => {
    location.hash = hash;
  };

  return html`
    <header class="top">
      <h1><span class="mark" aria-hidden="true">◆</span> ${texts.title}</h1>
      <p class=${isConnected ? 'live' : 'live off'} role="status">
        ${isConnected ? texts.connected : state === undefined ? texts.waiting : texts.disconnected}
      </p>
      <${LanguageSwitch} label=${texts.language} language=${language} onChange=${setLanguage} />
    </header>
    <nav class="tabs" aria-label=${texts.parts}>
      ${tabs.map(
        (name) => html`<a key=${name} href=${`#${name}`} aria-current=${name === tab ? 'page' : undefined}>
          ${texts[name]}
          ${name === 'faults' && state !== undefined && state.faults.length > 0 && html` <span class="count">${state.faults.length}</span>`}
        </a>`,
      )}
    </nav>
    <div role="alert" class="problem">
      ${problem !== '' && html`<p>${problem}</p><button type="button" onClick=${() => tell('')}>${texts.dismiss}</button>`}
    </div>
    ${
      state !== undefined &&
      setup !== undefined &&
      html`<${PageContext.Provider} value=${{ texts, language, place: language === 'pt' ? 1 : 0, state, setup, act, tell }}>
        <main>
          ${tab === 'sales' && html`<${Sales} open=${open} go=${go} />`}
          ${tab === 'deliveries' && html`<${Deliveries} />`}
          ${tab === 'calls' && html`<${Calls} />`}
          <div hidden=${tab !== 'faults'}><${Faults} /></div>
          <div hidden=${tab !== 'send'}><${SendTab} /></div>
          <div hidden=${tab !== 'listener'}><${ListenerTab} /></div>
        </main>
      </${PageContext.Provider}>`
    }
  `;
}

const root = document.getElementById('app');
if (root !== null) render(html`<${App} />`, root);
