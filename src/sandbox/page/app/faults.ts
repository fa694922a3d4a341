import { useState } from 'preact/hooks';
import { type OperationName, operationNames } from '../../../service/operations';
import type { Fault, FaultKind } from '../../faults';
import { Control } from './control';
import { usePage } from './page-context';
import { Card, html } from './parts';
import type { Texts } from './texts';

/** A switch for each operation and each kind of fault. */
export function Faults() {
  const { texts, place, setup } = usePage();
  const [settings, setSettings] = useState<FaultSettings>({
    isEvery: false,
    status: 503,
    takesEffect: false,
    ms: 3_000,
  });
  const set = (change: Partial<FaultSettings>) => setSettings({ ...settings, ...change });
  const textOf = (event: Event) => (event.currentTarget as HTMLInputElement | HTMLSelectElement).value;
  return html`<${Card} title=${texts.faults}>
      <p class="hint">${texts.faultsHint}</p>
      <div class="grid">
        <label>
          ${texts.howOften}
          <select onChange=${(event: Event) => set({ isEvery: textOf(event) === 'every' })}>
            <option value="next">${texts.nextCall}</option>
            <option value="every">${texts.everyCall}</option>
          </select>
        </label>
        <label>
          ${texts.httpStatus}
          <input type="number" min="200" max="599" value=${settings.status} onInput=${(event: Event) => set({ status: Number(textOf(event)) })} />
        </label>
        <label class="flag">
          <input type="checkbox" checked=${settings.takesEffect} onChange=${() => set({ takesEffect: !settings.takesEffect })} />
          ${texts.takesEffect}
        </label>
        <label>
          ${texts.delay}
          <input type="number" min="0" value=${settings.ms} onInput=${(event: Event) => set({ ms: Number(textOf(event)) })} />
        </label>
      </div>
      ${operationNames.map(
        (operation) => html`<fieldset key=${operation}>
          <legend>${setup.operations[operation][place]} <code>${operation}</code></legend>
          ${setup.faultKinds.flatMap((kind) => faultsWith(kind, settings)).map((fault) => html`<${FaultSwitch} key=${labelOf(fault, texts)} operation=${operation} fault=${fault} />`)}
        </fieldset>`,
      )}
      <${Control} name="clear-faults" />
  </${Card}>`;
}

/** In place of `Infinity`, which JSON does not have: more calls than anybody makes. */
const EVERY_CALL = 1_000_000_000;

/** Sets a fault of an operation in place of the one before, or removes it. */
function FaultSwitch({ operation, fault }: { operation: OperationName; fault: Fault }) {
  const { texts, state, act } = usePage();
  const label = labelOf(fault, texts);
  const isOn = state.faults.some(
    (pending) => pending.operation === operation && labelOf(pending.fault, texts) === label,
  );
  const onClick = async () => {
    await act('DELETE', '/sandbox/faults', { operation });
    if (!isOn) await act('POST', '/sandbox/faults', { operation, fault });
  };
  return html`<button
    type="button"
    role="switch"
    class="switch"
    data-control="set-fault"
    aria-checked=${String(isOn)}
    aria-label=${`${label}: ${operation}`}
    onClick=${onClick}
  >
    ${label}
  </button>`;
}

/** What all switches share. */
interface FaultSettings {
  readonly isEvery: boolean;
  readonly status: number;
  readonly takesEffect: boolean;
  readonly ms: number;
}

/** The faults of a kind that the page offers: `body-status` with each status. */
function faultsWith(kind: FaultKind['kind'], { isEvery, status, takesEffect, ms }: FaultSettings): Fault[] {
  const times = isEvery ? EVERY_CALL : 1;
  if (kind === 'latency') return [{ kind, times, ms }];
  if (kind === 'status') return [{ kind, times, status, takesEffect }];
  if (kind === 'body-status') return ([-1, 999] as const).map((status) => ({ kind, times, status }));
  return [{ kind, times }];
}

/** What the page calls a fault. */
function labelOf(fault: FaultKind, texts: Texts): string {
  const label = texts[fault.kind];
  return fault.kind === 'body-status' ? `${label} ${fault.status}` : label;
}
