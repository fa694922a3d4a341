import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filled } from '../../../shared/filled';
import type { Input } from '../../controls/control';
import type { ControlForm } from '../page-state';
import { useKept, usePage } from './page-context';
import { html, readAmount, rich } from './parts';
import type { Language, Texts } from './texts';

/** A field of a form. */
export interface FormField {
  readonly label: string;
  readonly input: Input | 'radio' | 'integer' | 'url';
  /** What people call each choice. */
  readonly words?: Readonly<Record<string, string>> | undefined;
  readonly isOptional?: boolean;
  readonly value?: string;
  readonly placeholder?: string;
  readonly least?: number;
  readonly most?: number;
}

export type Fields = Readonly<Record<string, FormField>>;
type Typed = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;

/**
 * Every form of the page. What was typed and not sent survives a change of the sale, the tab or the language, and a
 * reload. What is wrong stands at its field, or above the buttons.
 */
export function Form(props: {
  name: string;
  /** Which draft it continues. Default: its name. */
  draft?: string;
  about?: string | undefined;
  /** May depend on what was chosen. */
  fields: (typed: Typed) => Fields;
  button: string;
  /** Puts the cursor into its first field. */
  isFocused?: boolean;
  /** Returns what the sandbox refused. */
  send: (values: Values) => Promise<string | undefined>;
  onClose?: (() => void) | undefined;
}) {
  const { texts, language } = usePage();
  const { name, draft = name, about, button, isFocused, send, onClose } = props;
  const [typed, setTyped] = useKept<Typed>(`draft ${draft}`, {});
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const fields = props.fields(typed);
  // Before the next key: what is typed at once must not go to the button that opened it.
  useLayoutEffect(() => {
    if (isFocused) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, [isFocused]);
  useLayoutEffect(() => {
    if (problem?.field) form.current?.querySelector<HTMLElement>(`[name="${problem.field}"]`)?.focus();
  }, [problem]);

  const onInput = ({ target }: Event) => {
    const { name, value, type, checked } = target as HTMLInputElement;
    setTyped({ ...typed, [name]: type === 'checkbox' ? String(checked) : value });
    setProblem(undefined);
  };
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    const values: Record<string, unknown> = {};
    for (const [field, described] of Object.entries(fields)) {
      const value = readField(textOf(described, typed[field]), described, language, texts);
      if (value instanceof Error) return setProblem({ field, text: value.message });
      if (value !== undefined) values[field] = value;
    }
    setBusy(true);
    const refusal = await send(values);
    setBusy(false);
    if (refusal !== undefined) return setProblem(placed(refusal, fields, values));
    setTyped({});
    setProblem(undefined);
    onClose?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose?.();
  };

  const wrong = html`<p class="error" role="alert" id=${id}>${rich(problem?.text ?? '')}</p>`;
  return html`<form class="control" ref=${form} data-control=${name} noValidate onSubmit=${onSubmit} onInput=${onInput} onKeyDown=${onKeyDown}>
    ${about !== undefined && html`<p class="hint">${rich(about)}</p>`}
    ${Object.entries(fields).map(([field, described]) => {
      const isWrong = problem?.field === field;
      return html`<div key=${field}>
        <${Entry} id=${`${id}-${field}`} name=${field} field=${described} text=${textOf(described, typed[field])} error=${isWrong ? id : undefined} />
        ${isWrong && wrong}
      </div>`;
    })}
    ${problem?.field === '' && wrong}
    <div class="actions">
      <button class="main" aria-disabled=${isBusy ? 'true' : undefined}>${button}</button>
      ${onClose !== undefined && html`<button type="button" class="quiet" onClick=${onClose}>${texts.back}</button>`}
      ${isBusy && html`<progress aria-label=${texts.working}></progress>`}
    </div>
  </form>`;
}

/** What stands in a field: what was typed, or else what it starts with. */
function textOf({ input, words, value, isOptional }: FormField, typed: string | undefined): string {
  // A choice that is not offered any more is none.
  if (typed !== undefined && (words === undefined || typed in words || typed === '')) return typed;
  if (value !== undefined) return value;
  if (input === 'json') return '{}';
  return words === undefined || (input === 'choice' && isOptional) ? '' : (Object.keys(words)[0] ?? '');
}

/** A field with its label. @param props.error - the id of what is wrong with it */
function Entry(props: {
  id: string;
  name: string;
  field: FormField;
  text: string;
  error: string | undefined;
}) {
  const { texts } = usePage();
  const { id, name, field, text, error } = props;
  const { input, words = {}, isOptional, placeholder } = field;
  const isMarked = isOptional && !field.label.includes('(');
  const label = isMarked ? `${field.label} (${texts.optional})` : field.label;
  const invalid = { 'aria-invalid': error && 'true', 'aria-describedby': error };
  const choices = Object.entries(words);
  if (input === 'flag')
    return html`<label class="flag"><input type="checkbox" name=${name} checked=${text === 'true'} /> ${field.label}</label>`;
  if (input === 'radio')
    return html`<fieldset><legend>${field.label}</legend>
      ${choices.map(
        ([choice, word]) =>
          html`<label class="flag" key=${choice}><input type="radio" name=${name} value=${choice} checked=${choice === text} /> ${word}</label>`,
      )}
    </fieldset>`;
  const shared = { id, name, 'aria-required': isOptional ? undefined : 'true', ...invalid };
  const entry =
    field.words !== undefined
      ? html`<select ...${shared} value=${text}>
          ${isOptional && html`<option value="">–</option>`}
          ${choices.map(([choice, word]) => html`<option key=${choice} value=${choice} selected=${choice === text}>${word}</option>`)}
        </select>`
      : input === 'json'
        ? html`<textarea ...${shared} rows="6" spellcheck=${false} value=${text}></textarea>`
        : html`<input ...${shared} value=${text} placeholder=${placeholder} inputmode=${inputModes[input]} spellcheck=${false} autocomplete="off" />`;
  return html`<label for=${id}>${label}</label>${entry}`;
}

const inputModes: Readonly<Partial<Record<FormField['input'], string>>> = {
  amount: 'decimal',
  integer: 'numeric',
  url: 'url',
};

/** The value that was typed; `undefined` where an optional field is empty. */
function readField(typed: string, field: FormField, language: Language, texts: Texts): unknown {
  const text = typed.trim();
  const { input, isOptional, least = 0, most = 1_000_000 } = field;
  if (input === 'flag') return text === 'true' ? true : undefined;
  if (text === '') return isOptional ? undefined : new Error(texts.required);
  if (input === 'amount') return readAmount(text, language) ?? new Error(texts.notAmount);
  if (input === 'integer') {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    return new Error(filled(texts.notInteger, { least, most }));
  }
  if (input === 'url')
    return /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? text : new Error(texts.notUrl);
  if (input !== 'json') return text;
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Answered below, like a value that is no object.
  }
  return new Error(texts.notJson);
}

interface Problem {
  /** Empty: it is about the whole form. */
  readonly field: string;
  readonly text: string;
}

/** Puts a refusal at the field that it names, or at the only one that was filled in. */
function placed(refusal: string, fields: Fields, values: Values): Problem {
  const named = Object.keys(fields).find((field) => refusal.includes(`\`${field}\``));
  if (named === undefined) {
    const [only = '', ...others] = Object.keys(values).filter((field) => fields[field]?.words === undefined);
    return { field: others.length === 0 ? only : '', text: refusal };
  }
  const label = fields[named]?.label.replace(/ \(.*/, '') ?? named;
  return { field: named, text: refusal.replaceAll(`\`${named}\``, label) };
}

/** A control of the sandbox as a button. One with fields unfolds a form first. */
export function Control(props: {
  name: string;
  /** What `:id` in its path is. */
  id?: string;
  /** In place of its own. */
  label?: string;
  /** What it acts on, for screen readers. */
  what?: string;
  kind?: 'main' | 'quiet' | undefined;
  /** The fields that its form asks for, in place of all. Of none, it runs at once. */
  only?: readonly string[];
  /** Shows the form at once. */
  isOpen?: boolean;
  /** What to look at when it is done. */
  link?: { readonly href: string; readonly text: string } | undefined;
  onDone?: (answer: object) => void;
}) {
  const { setup, place, texts, act, tell } = usePage();
  const [isOpen, setOpen] = useState(props.isOpen === true);
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const control = setup.controls.find(({ name }) => name === props.name);
  if (control === undefined) return null;
  const label = props.label ?? control.label[place];
  const run = async (values: Values) => {
    const path = control.path.replace(':id', encodeURIComponent(props.id ?? ''));
    const done = { text: `${label}: ${texts.done}`, link: props.link };
    const { answer, problem } = await act(control.method, path, bodyOf(control, values), done);
    if (answer !== undefined) props.onDone?.(answer);
    return problem;
  };
  const fields = fieldsOf(control, place, props.only);
  const hasFields = Object.keys(fields).length > 0;
  if (hasFields && isOpen) {
    return html`<${Form}
      name=${control.name}
      draft=${`${control.name} ${props.id}`}
      about=${control.about[place]}
      fields=${() => fields}
      button=${label}
      send=${run}
      isFocused=${props.isOpen !== true}
      onClose=${props.isOpen ? undefined : () => setOpen(false)}
    />`;
  }
  const press = async (event: MouseEvent) => {
    // The second click of a double click is meant for what stood here before.
    if (isBusy || event.detail > 1) return;
    if (hasFields) return setOpen(true);
    setBusy(true);
    const problem = await run({});
    setBusy(false);
    if (problem !== undefined) tell({ text: problem, isProblem: true });
  };
  return html`<button
    ref=${button}
    type="button"
    class=${props.kind ?? ''}
    data-control=${control.name}
    aria-label=${props.what === undefined ? undefined : `${label}: ${props.what}`}
    aria-expanded=${hasFields ? 'false' : undefined}
    onClick=${press}
  >
    ${label}${hasFields ? ' …' : ''}
  </button>`;
}

/** The one of several flags that a control takes, as one field of its form. */
const ONE_OF = 'one-of';

/** @param only - the fields that are asked for, each required, in place of all */
function fieldsOf({ fields, oneOf }: ControlForm, place: 0 | 1, only?: readonly string[]): Fields {
  const asked = Object.entries(fields).filter(([name]) => only === undefined || only.includes(name));
  const described = asked.map(([name, { label, words, ...field }]) => {
    const choices = words && Object.entries(words).map(([choice, text]) => [choice, text[place]] as const);
    const isOptional = only === undefined && field.isOptional;
    return [
      name,
      { ...field, isOptional, label: label[place], words: choices && Object.fromEntries(choices) },
    ] as const;
  });
  if (oneOf === undefined) return Object.fromEntries(described);
  const { flags, label, none } = oneOf;
  const words = {
    none: none[place],
    ...Object.fromEntries(flags.map((flag) => [flag, fields[flag]?.label[place]])),
  };
  return {
    ...Object.fromEntries(described.filter(([name]) => !flags.includes(name))),
    [ONE_OF]: { label: label[place], input: 'radio', words },
  };
}

function bodyOf({ oneOf }: ControlForm, { [ONE_OF]: chosen, ...values }: Values): object {
  return oneOf?.flags.includes(String(chosen)) ? { ...values, [String(chosen)]: true } : values;
}
