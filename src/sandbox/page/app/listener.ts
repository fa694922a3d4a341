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
  const { webhookUrl } = state;
  const url = typeof webhookUrl === 'string' ? webhookUrl : '';
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
    ${
      typeof webhookUrl === 'object' &&
      html`<p class="hint">${texts.listenerByKind}</p>
        <ul>${Object.entries(webhookUrl).map(([kind, target]) => html`<li key=${kind}>${kind}: <code>${target}</code></li>`)}</ul>`
    }
  </${Card}>`;
}

const tones = { passed: 'good', failed: 'bad', 'not-checked': 'open' } as const;

/** Runs the checklist against the listener, and shows what it found. */
function Check() {
  const { texts, state, setup, act } = usePage();
  const [isRunning, setRunning] = useState(false);
  const [report, setReport] = useState<VerifyReport>();
  const url = typeof state.webhookUrl === 'string' ? state.webhookUrl : '';
  if (!setup.canVerify) return null;
  const onClick = async () => {
    setRunning(true);
    setReport(undefined);
    setReport(await act<VerifyReport>('POST', '/sandbox/verify', { url }));
    setRunning(false);
  };
  const count = (verdict: VerifyResult['verdict']) =>
    report?.checks.filter((check) => check.verdict === verdict).length;
  const line = ({ id, title, verdict, problems, open, fix }: VerifyResult) => html`<li key=${id}>
    <${Badge} text=${texts[verdict]} tone=${tones[verdict]} /> ${title}
    ${[...problems, ...(verdict === 'not-checked' ? open : [])].map((text) => html`<p class="hint">${text}</p>`)}
    ${fix !== undefined && html`<p><strong>${texts.verifyFix}:</strong> ${fix}</p>`}
  </li>`;
  return html`<${Card} title=${texts.check}>
    <p class="hint">${url === '' ? texts.checkNeedsUrl : texts.checkHint}</p>
    <div class="actions">
      <button type="button" class="main" disabled=${url === ''} aria-disabled=${isRunning ? 'true' : undefined} onClick=${isRunning ? undefined : onClick}>
        ${texts.verify}
      </button>
      <span role="status">${isRunning ? texts.verifying : ''}</span>
    </div>
    ${
      report !== undefined &&
      html`<p class="result" role="status"><strong>${count('passed')}</strong> ${texts.passed}, <strong>${count('failed')}</strong> ${texts.failed}, <strong>${count('not-checked')}</strong> ${texts['not-checked']}</p>
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
