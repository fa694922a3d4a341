import { useEffect, useState } from 'preact/hooks';
import { html } from './html';
import { usePage } from './page-context';

/** The time to the next attempt. Not announced: a screen reader would speak each second. */
export function Countdown({ at }: { at: number }) {
  const { texts } = usePage();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000));
  return html`<span class="hint" role="timer">${texts.nextAttempt} ${seconds} s</span>`;
}
