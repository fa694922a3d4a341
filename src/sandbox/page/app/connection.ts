import { useState } from 'preact/hooks';
import type { VerifyReport, VerifyResult } from '../page-state';
import { usePage } from './page-context';
import { Badge, CopyButton, fieldsOf, html, Section } from './parts';

/** The settings that a client needs. The merchant's own credentials are never shown. */
export function Connection() {
  const { texts, state } = usePage();
  const { url, defaultCredentials } = state;
  const lines = [
    `PAYMENTS_BASE_URL=${url}`,
    ...(defaultCredentials === undefined
      ? []
      : [
          `PAYMENTS_API_KEY=${defaultCredentials.apiKey}`,
          `PAYMENTS_API_TOKEN=${defaultCredentials.apiToken}`,
        ]),
  ];
  return html`<${Section} id="connection" title=${texts.connection}>
    <div class="card">
      <p class="hint">${texts.connectionHint}</p>
      <pre tabindex="0" aria-labelledby="connection">${lines.join('\n')}</pre>
      ${
        defaultCredentials === undefined &&
        html`<p class="hint">PAYMENTS_API_KEY, PAYMENTS_API_TOKEN: ${texts.ownCredentials}</p>`
      }
      <${CopyButton} text=${lines.join('\n')} what=${texts.connection} />
    </div>
  </${Section}>`;
}

/** Where notifications go. */
export function Listener() {
  const { texts, state, act } = usePage();
  const [isSaved, setSaved] = useState(false);
  const { webhookUrl, canVerify } = state;
  const url = typeof webhookUrl === 'string' ? webhookUrl : '';
  const onSubmit = async (event: Event) => {
    const { webhookUrl } = fieldsOf(event);
    setSaved((await act('PUT', '/webhook-url', webhookUrl ? { webhookUrl } : {})) !== undefined);
  };
  return html`<${Section} id="listener" title=${texts.listener}>
    <div class="card">
      <form class="inline" onSubmit=${onSubmit} onInput=${() => setSaved(false)}>
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
          <ul class="rows">
            ${Object.entries(webhookUrl).map(([kind, target]) => html`<li key=${kind}>${kind}: <code>${target}</code></li>`)}
          </ul>`
      }
      ${canVerify && url !== '' && html`<${VerifyButton} url=${url} />`}
    </div>
  </${Section}>`;
}

const tones = { passed: 'good', failed: 'bad', 'not-checked': 'open' } as const;

/** Runs the checklist against the listener, and shows what it found. */
function VerifyButton({ url }: { url: string }) {
  const { texts, act } = usePage();
  const [isRunning, setRunning] = useState(false);
  const [report, setReport] = useState<VerifyReport>();
  const onClick = async () => {
    setRunning(true);
    setReport(undefined);
    setReport(await act<VerifyReport>('POST', '/verify', { url }));
    setRunning(false);
  };
  const words = { passed: texts.passed, failed: texts.failed, 'not-checked': texts.notChecked };
  const line = ({ id, title, verdict, problems, open, fix }: VerifyResult) => html`<li key=${id}>
    <${Badge} text=${words[verdict]} tone=${tones[verdict]} /> ${title}
    ${[...problems, ...(verdict === 'not-checked' ? open : [])].map((text) => html`<p class="hint">${text}</p>`)}
    ${fix !== undefined && html`<p><strong>${texts.verifyFix}:</strong> ${fix}</p>`}
  </li>`;
  return html`<div class="actions">
      <button type="button" aria-disabled=${isRunning ? 'true' : undefined} onClick=${isRunning ? undefined : onClick}>
        ${texts.verify}
      </button>
      <span role="status">${isRunning ? texts.verifying : ''}</span>
    </div>
    ${report !== undefined && html`<ul class="checks">${report.checks.map(line)}</ul>`}`;
}
