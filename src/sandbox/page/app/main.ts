import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { filled } from '../../../shared/filled';
import type { PageSetup } from '../page-state';
import { Calls, Deliveries } from './activity';
import { callSandbox, type News, type Page, PageContext, useKept, useSandbox } from './page-context';
import { html, rich } from './parts';
import { Sales } from './sales';
import { firstLanguage, type Language, rememberLanguage, textsIn } from './texts';
import { ListenerTab, Simulate } from './tools';

const tabs = ['sales', 'deliveries', 'calls', 'simulate', 'listener'] as const;
type Tab = (typeof tabs)[number];

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

/** Escape closes what is unfolded around the focus, which goes back to where it was opened. */
function closeUnfolded({ key, target }: KeyboardEvent): void {
  const unfolded = key === 'Escape' && (target as Element).closest<HTMLDetailsElement>('details[open]');
  if (!unfolded) return;
  unfolded.open = false;
  unfolded.querySelector('summary')?.focus();
}

/** How long a success stays in sight. A problem stays until it is closed, or something else is done. */
const SUCCESS_MS = 6_000;

/** The whole page. */
function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [news, tell] = useState<News>();
  const [setup, setSetup] = useState<PageSetup>();
  const { state, isConnected } = useSandbox();
  const [tab, open] = usePlace();
  // The tab leads back to the sale that was open.
  const [lastOpen, keepOpen] = useKept('open sale', '');
  useEffect(() => {
    if (tab === 'sales') keepOpen(open);
  }, [tab, open]);
  const actedAt = useRef(0);
  const texts = useMemo(() => textsIn(language), [language]);
  const other = language === 'pt' ? 'en' : 'pt';

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
  useEffect(() => {
    addEventListener('keydown', closeUnfolded);
    return () => removeEventListener('keydown', closeUnfolded);
  }, []);
  useEffect(() => {
    if (news === undefined || news.isProblem) return undefined;
    const timer = setTimeout(() => tell(undefined), SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [news]);

  const act: Page['act'] = async (method, path, body, done) => {
    try {
      const answer = (await callSandbox(method, path, body)) as never;
      actedAt.current = Date.now();
      if (done !== undefined) tell(done);
      return { answer };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  };
  const counts: Partial<Record<Tab, number | string | undefined>> = {
    deliveries: state?.failing,
    simulate: state?.faults.length,
    listener: state !== undefined && state.webhookUrl === undefined ? '!' : 0,
  };
  const context = state &&
    setup && { texts, language, place: language === 'pt' ? 1 : 0, state, setup, act, tell, actedAt };

  return html`
    <header class="top">
      <h1><span class="mark" aria-hidden="true">◆</span> ${texts.title}</h1>
      <p class=${isConnected ? 'live' : 'live off'} role="status">
        ${isConnected ? texts.connected : state === undefined ? texts.waiting : texts.disconnected}
      </p>
      <button type="button" class="quiet" lang=${other === 'pt' ? 'pt-BR' : 'en'} onClick=${() => setLanguage(other)}>
        ${other === 'pt' ? 'Português' : 'English'}
      </button>
    </header>
    <nav class="tabs" aria-label=${texts.parts}>
      ${tabs.map(
        (name) => html`<a
          key=${name}
          href=${name === 'sales' && tab !== 'sales' && lastOpen !== '' ? `#sales/${lastOpen}` : `#${name}`}
          aria-current=${name === tab ? 'page' : undefined}
        >
          ${texts[name]}
          ${Boolean(counts[name]) && html` <span class="count" title=${filled(texts[`count-${name}` as 'count-deliveries'], { count: counts[name] ?? 0 })}>${counts[name]}</span>`}
        </a>`,
      )}
    </nav>
    ${
      context &&
      html`<${PageContext.Provider} value=${context}>
        <main>
          ${tab === 'sales' && html`<${Sales} open=${open} />`}
          ${tab === 'deliveries' && html`<${Deliveries} />`}
          ${tab === 'calls' && html`<${Calls} />`}
          <div hidden=${tab !== 'simulate'}><${Simulate} /></div>
          <div hidden=${tab !== 'listener'}><${ListenerTab} /></div>
        </main>
      </${PageContext.Provider}>`
    }
    <div class=${news?.isProblem ? 'news bad' : 'news good'} role=${news?.isProblem ? 'alert' : 'status'}>
      ${
        news !== undefined &&
        html`<p>${rich(news.text)}${news.link && html` · <a href=${news.link.href}>${news.link.text}</a>`}</p>
          <button type="button" class="quiet" aria-label=${texts.dismiss} onClick=${() => tell(undefined)}>×</button>`
      }
    </div>
  `;
}

const root = document.getElementById('app');
if (root !== null) render(html`<${App} />`, root);
