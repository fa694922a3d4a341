import { useState } from 'preact/hooks';
import { html } from './html';
import { usePage } from './page-context';

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const { texts } = usePage();
  const [isCopied, setCopied] = useState(false);
  const onClick = async () => {
    await copy(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const shown = label ?? texts.copy;
  return html`<button type="button" class="small" aria-label=${`${isCopied ? texts.copied : shown}: ${what}`} onClick=${onClick}>
    ${isCopied ? texts.copied : shown}
  </button>`;
}

/** Outside a secure context, as behind a plain http name, there is no clipboard but the old command. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
