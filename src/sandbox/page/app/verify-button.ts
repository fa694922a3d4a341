import { useState } from 'preact/hooks';
import type { VerifyReport, VerifyResult } from '../verify';
import { Badge } from './badge';
import { html } from './html';
import { usePage } from './page-context';

const tones = { passed: 'good', failed: 'bad', 'not-checked': 'open' } as const;

/** Runs the checklist against the listener, and shows what it found. */
export function VerifyButton({ url }: { url: string }) {
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
