import { useState } from 'preact/hooks';
import { type OperationName, operations } from '../../../service/operations';
import { ActButton } from './act-button';
import { type FaultSettings, faultRows } from './fault-rows';
import { FaultSwitch } from './fault-switch';
import { html } from './html';
import { usePage } from './page-context';
import { Section } from './section';

const operationNames = Object.keys(operations) as OperationName[];

/** A switch for each operation and each kind of fault. */
export function Faults() {
  const { texts } = usePage();
  const [settings, setSettings] = useState<FaultSettings>({ isEvery: false, status: 503, ms: 3_000 });
  const set = (change: Partial<FaultSettings>) => setSettings({ ...settings, ...change });
  const textOf = (event: Event) => (event.currentTarget as HTMLInputElement | HTMLSelectElement).value;
  return html`<${Section} id="faults" title=${texts.faults}>
    <div class="card">
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
        <label>
          ${texts.delay}
          <input type="number" min="0" value=${settings.ms} onInput=${(event: Event) => set({ ms: Number(textOf(event)) })} />
        </label>
      </div>
      ${operationNames.map(
        (operation) => html`<fieldset key=${operation}>
          <legend>${operation}</legend>
          ${faultRows.map((row) => html`<${FaultSwitch} key=${row.text} operation=${operation} row=${row} settings=${settings} />`)}
        </fieldset>`,
      )}
      <${ActButton} label=${texts.clearFaults} method="DELETE" path="/faults" />
    </div>
  </${Section}>`;
}
