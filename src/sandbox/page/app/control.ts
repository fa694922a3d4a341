import { useState } from 'preact/hooks';
import type { ControlForm } from '../page-state';
import { usePage } from './page-context';
import { html, readAmount } from './parts';
import type { Texts } from './texts';

/** What was typed into a form before it was closed, by field. */
type Draft = Readonly<Record<string, string>>;

/** A control as a button. One with fields unfolds a form first. */
export function Control(props: {
  name: string;
  /** What `:id` in its path is. */
  id?: string;
  /** What it acts on, for screen readers. */
  what?: string;
  kind?: 'main' | 'quiet';
  /** Shows the form at once. */
  isOpen?: boolean;
  onDone?: (answer: object) => void;
}) {
  const { setup, place } = usePage();
  const [isOpen, setOpen] = useState(props.isOpen === true);
  const [draft, setDraft] = useState<Draft>({});
  const control = setup.controls.find(({ name }) => name === props.name);
  const run = useRun(control, props);
  if (control === undefined) return null;
  const label = control.label[place];
  const hasFields = Object.keys(control.fields).length > 0;
  if (hasFields && isOpen) {
    const close = (typed: Draft) => {
      setDraft(typed);
      setOpen(false);
    };
    return html`<${Form} control=${control} run=${run} draft=${draft} onClose=${props.isOpen ? undefined : close} />`;
  }
  return html`<button
    type="button"
    class=${props.kind ?? ''}
    data-control=${control.name}
    aria-label=${props.what === undefined ? undefined : `${label}: ${props.what}`}
    aria-expanded=${hasFields ? 'false' : undefined}
    onClick=${hasFields ? () => setOpen(true) : () => run({})}
  >
    ${label}${hasFields ? ' …' : ''}
  </button>`;
}

/** Runs a control, once at a time: a double click makes one call. */
function useRun(
  control: ControlForm | undefined,
  { id, onDone }: { id?: string; onDone?: (answer: object) => void },
) {
  const { act } = usePage();
  const [isBusy, setBusy] = useState(false);
  return async (body: object): Promise<boolean> => {
    if (isBusy || control === undefined) return false;
    setBusy(true);
    const answer = await act(control.method, control.path.replace(':id', encodeURIComponent(id ?? '')), body);
    setBusy(false);
    if (answer !== undefined) onDone?.(answer);
    return answer !== undefined;
  };
}

function Form(props: {
  control: ControlForm;
  run: (body: object) => Promise<boolean>;
  draft: Draft;
  onClose?: (typed: Draft) => void;
}) {
  const { texts, place, tell } = usePage();
  const { control, run, draft, onClose } = props;
  const close = (event: Event) => {
    const { form } = event.currentTarget as HTMLButtonElement;
    onClose?.(Object.fromEntries(new FormData(form ?? undefined)) as Draft);
  };
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const body: Record<string, unknown> = {};
    for (const [name, { input }] of Object.entries(control.fields)) {
      const text = String(data.get(name) ?? '').trim();
      if (text === '') continue;
      const value = readValue(text, input, texts);
      if (value instanceof Error) return tell(value.message);
      body[name] = value;
    }
    if (!(await run(body))) return;
    form.reset();
    onClose?.({});
  };
  return html`<form class="control" data-control=${control.name} onSubmit=${onSubmit}>
    <p class="hint">${control.about[place]}</p>
    ${Object.entries(control.fields).map(([name, field]) => {
      const label = `${field.label[place]}${field.isOptional && field.input !== 'flag' && !field.label[place].includes('(') ? ` (${texts.optional})` : ''}`;
      if (field.input === 'flag') {
        return html`<label class="flag" key=${name}><input type="checkbox" name=${name} value="true" defaultChecked=${draft[name] !== undefined} /> ${label}</label>`;
      }
      return html`<label key=${name}>${label}${inputOf(name, field, place, draft[name])}</label>`;
    })}
    <div class="actions">
      <button class="main">${control.label[place]}</button>
      ${onClose !== undefined && html`<button type="button" class="quiet" onClick=${close}>${texts.close}</button>`}
    </div>
  </form>`;
}

function inputOf(
  name: string,
  { input, words, isOptional }: ControlForm['fields'][string],
  place: 0 | 1,
  typed: string | undefined,
) {
  if (words !== undefined) {
    return html`<select name=${name}>
      ${isOptional && html`<option value="">–</option>`}
      ${Object.entries(words).map(([choice, text]) => html`<option key=${choice} value=${choice} selected=${choice === typed}>${text[place]}</option>`)}
    </select>`;
  }
  if (input === 'json')
    return html`<textarea name=${name} rows="6" spellcheck="false" required=${!isOptional} defaultValue=${typed ?? '{}'}></textarea>`;
  return html`<input name=${name} defaultValue=${typed} required=${!isOptional} inputmode=${input === 'text' ? 'text' : 'decimal'} autocomplete="off" />`;
}

function readValue(text: string, input: string, texts: Texts): unknown {
  if (input === 'flag') return true;
  if (input === 'amount')
    return Number.isFinite(readAmount(text)) ? readAmount(text) : new Error(texts.notAmount);
  if (input !== 'json') return text;
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Answered below, like a value that is no object.
  }
  return new Error(texts.notJson);
}
