import { useState } from 'preact/hooks';
import { type OperationName, operationNames } from '../../../service/operations';
import type { Fault, FaultKind, PendingFault } from '../../faults';
import { usePage } from './page-context';
import { Card, html } from './parts';
import type { Texts } from './texts';

/** One form: the operation, the fault, its value, and how often. */
export function Faults() {
  const { texts, place, setup, state, act } = usePage();
  const [kind, setKind] = useState<FaultKind['kind']>('status');
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const fault = faultIn(kind, data);
    await act('POST', '/sandbox/faults', { operation: data.get('operation') as OperationName, fault });
  };
  const [cleared, setCleared] = useState<readonly PendingFault[]>([]);
  const clear = async () => {
    const { faults } = state;
    if ((await act('DELETE', '/sandbox/faults', {})) !== undefined) setCleared(faults);
  };
  const putBack = async () => {
    setCleared([]);
    for (const { operation, fault, left } of cleared)
      await act('POST', '/sandbox/faults', { operation, fault: { ...fault, times: left ?? EVERY_CALL } });
  };
  const options = (words: readonly (readonly [value: string, text: string])[]) =>
    words.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`);
  return html`<${Card} title=${texts.faults}>
    <p class="hint">${texts.faultsHint}</p>
    <form class="control" data-control="set-fault" onSubmit=${onSubmit}>
      <label>${texts.operation}
        <select name="operation">${options(operationNames.map((name) => [name, `${setup.operations[name][place]} (${name})`]))}</select>
      </label>
      <label>${texts.whatGoesWrong}
        <select name="kind" value=${kind} onChange=${(event: Event) => setKind((event.currentTarget as HTMLSelectElement).value as FaultKind['kind'])}>
          ${options(setup.faultKinds.map((name) => [name, texts[name]]))}
        </select>
      </label>
      <${Value} key=${kind} kind=${kind} />
      <label>${texts.howOften}
        <select name="times">${options([
          ['1', texts.nextCall],
          [String(EVERY_CALL), texts.everyCall],
        ])}</select>
      </label>
      <div class="actions"><button class="main">${texts.arm}</button></div>
    </form>
    ${state.faults.length > 0 && html`<ul>${state.faults.map((pending, index) => html`<li key=${index}>${pendingText(pending, texts)}</li>`)}</ul>`}
    ${
      state.faults.length > 0 &&
      html`<button type="button" data-control="clear-faults" onClick=${clear}>${setup.controls.find(({ name }) => name === 'clear-faults')?.label[place]}</button>`
    }
    ${state.faults.length === 0 && cleared.length > 0 && html`<button type="button" onClick=${putBack}>${texts.putBack}</button>`}
  </${Card}>`;
}

/** In place of `Infinity`, which JSON does not have: more calls than anybody makes. */
const EVERY_CALL = 1_000_000_000;

/** What a kind of fault has to be told: a status or a delay. */
function Value({ kind }: { kind: FaultKind['kind'] }) {
  const { texts } = usePage();
  if (kind === 'status') {
    return html`<label>${texts.httpStatus}<input name="status" type="number" min="200" max="599" value="503" required /></label>
      <label class="flag"><input name="takesEffect" type="checkbox" value="true" /> ${texts.takesEffect}</label>`;
  }
  if (kind === 'body-status')
    return html`<label>${texts[kind]}<select name="status"><option>-1</option><option>999</option></select></label>`;
  if (kind !== 'latency' && kind !== 'close-after-answer') return null;
  const byDefault = kind === 'latency' ? '3000' : '5';
  return html`<label>${texts.delay}<input name="ms" type="number" min="0" value=${byDefault} required /></label>`;
}

/** The fault that the form describes. The sandbox checks it. */
function faultIn(kind: FaultKind['kind'], data: FormData): object {
  const number = (name: string) => (data.has(name) ? { [name]: Number(data.get(name)) } : {});
  const takesEffect = data.has('takesEffect') ? { takesEffect: true } : {};
  return { kind, ...number('times'), ...number('status'), ...number('ms'), ...takesEffect };
}

/** `getTransaction: other HTTP status 503, every call`. */
function pendingText({ operation, fault, left }: PendingFault, texts: Texts): string {
  const isEvery = left === null || left > EVERY_CALL / 2;
  return `${operation}: ${texts[fault.kind]}${detailOf(fault)}, ${isEvery ? texts.everyCall : `${left} ×`}`;
}

function detailOf(fault: Fault): string {
  if ('status' in fault) return ` ${fault.status}`;
  return 'ms' in fault ? ` ${fault.ms} ms` : '';
}
