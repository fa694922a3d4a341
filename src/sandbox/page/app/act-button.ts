import { useState } from 'preact/hooks';
import { html } from './html';
import { usePage } from './page-context';

/** A button that makes a control call. It rests while the call runs, so that a double click is one call. */
export function ActButton(props: {
  label: string;
  /** What it acts on, for those who hear the page. */
  what?: string;
  method?: string;
  path: string;
  body?: object;
  kind?: 'main' | 'small';
}) {
  const { act } = usePage();
  const [isBusy, setBusy] = useState(false);
  const onClick = async () => {
    setBusy(true);
    await act(props.method ?? 'POST', props.path, props.body);
    setBusy(false);
  };
  return html`<button
    type="button"
    class=${props.kind ?? ''}
    aria-label=${props.what === undefined ? undefined : `${props.label}: ${props.what}`}
    aria-disabled=${isBusy ? 'true' : undefined}
    onClick=${isBusy ? undefined : onClick}
  >
    ${props.label}
  </button>`;
}
