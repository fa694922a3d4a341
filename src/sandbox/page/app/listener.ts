import { useState } from 'preact/hooks';
import type { VerifyReport, VerifyResult } from '../page-state';
import { Control } from './control';
import { usePage } from './page-context';
import { Badge, Card, html, Settings } from './parts';

/** Where notifications go, the check of the listener, and the settings of a client. */
export function ListenerTab() {
  return html`<div class="columns">
    <div><${Listener} /><${Check} /></div>
    <div><${Connection} /></div>
  </div>`;
}

/** Notifications that belong to no sale. */
export function SendTab() {
  const { texts } = usePage();
  return html`<div class="columns">
    <${Card} title=${texts.own}><${Control} name="notify" isOpen=${true} /></${Card}>
    <${Card} title=${texts.payouts}><${Control} name="pay-out" isOpen=${true} /></${Card}>
  </div>`;
}

function Listener() {
  const { texts, state, act } = usePage();
  const [isSaved, setSaved] = useState(false);
  const { webhookUrl: url = '' } = state;
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('webhookUrl') ?? '').trim();
    setSaved(
      (await act('PUT', '/sandbox/webhook-url', given === '' ? {} : { webhookUrl: given })) !== undefined,
    );
  };
  return html`<${Card} title=${texts.listener}>
    <form class="inline" data-control="set-listener" onSubmit=${onSubmit} onInput=${() => setSaved(false)}>
      <label>
        ${texts.listenerUrl}
        <input name="webhookUrl" type="url" defaultValue=${url} key=${url} placeholder="http://127.0.0.1:3000/webhooks" />
      </label>
      <button>${isSaved ? texts.saved : texts.save}</button>
    </form>
    <p class="hint">${texts.listenerHint}</p>
  </${Card}>`;
}

const tones = { passed: 'good', failed: 'bad', 'not-checked': 'open' } as const;

/** Runs the checklist against the listener, and shows what it found. */
function Check() {
  const { texts, state, setup, act } = usePage();
  const [isRunning, setRunning] = useState(false);
  const [report, setReport] = useState<VerifyReport>();
  const { webhookUrl: url = '' } = state;
  if (!setup.canVerify) return null;
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    const effects = String(new FormData(event.currentTarget as HTMLFormElement).get('effects') ?? '').trim();
    setRunning(true);
    const found = await act<VerifyReport>('POST', '/sandbox/verify', { url, ...(effects && { effects }) });
    if (found !== undefined) setReport(found);
    setRunning(false);
  };
  const count = (verdict: VerifyResult['verdict']) => {
    const number = report?.checks.filter((check) => check.verdict === verdict).length;
    return html`<strong>${number}</strong> ${number === 1 ? texts[verdict] : texts[`${verdict}Many`]}`;
  };
  const line = ({ id, title, verdict, problems, open, fix }: VerifyResult) => html`<li key=${id}>
    <${Badge} text=${texts[verdict]} tone=${tones[verdict]} /> ${title}
    ${[...problems, ...(verdict === 'not-checked' ? open : [])].map((text) => html`<p class="hint">${text}</p>`)}
    ${fix !== undefined && html`<p><strong>${texts.verifyFix}:</strong> ${fix}</p>`}
  </li>`;
  return html`<${Card} title=${texts.check}>
    <p class="hint">${url === '' ? texts.checkNeedsUrl : texts.checkHint}</p>
    <form class="control" data-control="verify" onSubmit=${onSubmit}>
      <label>${texts.effectsUrl}
        <input name="effects" type="url" placeholder="http://127.0.0.1:3001" />
      </label>
      <p class="hint">${texts.effectsHint}</p>
      <div class="actions">
        <button class="main" disabled=${url === ''} aria-disabled=${isRunning ? 'true' : undefined}>${texts.verify}</button>
        <span role="status">${isRunning ? texts.verifying : ''}</span>
      </div>
    </form>
    ${
      report !== undefined &&
      html`<p class="result" role="status">${count('passed')}, ${count('failed')}, ${count('not-checked')}</p>
        <ul class="checks">${report.checks.map(line)}</ul>`
    }
  </${Card}>`;
}

function Connection() {
  const { texts } = usePage();
  return html`<${Card} title=${texts.connection}>
    <p class="hint">${texts.connectionHint}</p>
    <${Settings} />
  </${Card}>`;
}
