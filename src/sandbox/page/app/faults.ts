import { useState } from 'preact/hooks';
import { type OperationName, operationNames } from '../../../service/operations';
import type { Fault, FaultKind } from '../../model/fault-queue';
import { usePage } from './page-context';
import { ActButton, html, Section } from './parts';
import type { Texts } from './texts';

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

/** In place of `Infinity`, which JSON does not have: more calls than anybody makes. */
const EVERY_CALL = 1_000_000_000;

/** Sets a fault of an operation in place of the one before, or removes it. */
function FaultSwitch(props: { operation: OperationName; row: FaultRow; settings: FaultSettings }) {
  const { texts, state, act } = usePage();
  const { operation, row, settings } = props;
  const isOn = state.faults.some((pending) => pending.operation === operation && row.is(pending.fault));
  const onClick = async () => {
    await act('DELETE', '/faults', { operation });
    if (isOn) return;
    const times = settings.isEvery ? EVERY_CALL : 1;
    await act('POST', '/faults', { operation, fault: { ...row.make(settings), times } });
  };
  const label = texts[row.text];
  return html`<button
    type="button"
    role="switch"
    class="switch"
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
  readonly ms: number;
}

/** A kind of fault as the page offers it. */
interface FaultRow {
  readonly text: keyof Texts;
  make(settings: FaultSettings): FaultKind;
  /** Whether a pending fault belongs to this row. */
  is(fault: Fault): boolean;
}

const faultRows: readonly FaultRow[] = [
  { text: 'latency', make: ({ ms }) => ({ kind: 'latency', ms }), is: (fault) => fault.kind === 'latency' },
  {
    text: 'status',
    make: ({ status }) => ({ kind: 'status', status }),
    is: (fault) => fault.kind === 'status',
  },
  bodyStatus('bodyStatusMinus1', -1),
  bodyStatus('bodyStatus999', 999),
  plain('resetBefore', 'reset-before-read'),
  plain('resetAfter', 'reset-after-read'),
  plain('stalled', 'stalled-body'),
  plain('truncated', 'truncated-body'),
  plain('wrongJson', 'wrong-json'),
];

function bodyStatus(text: keyof Texts, status: -1 | 999): FaultRow {
  return {
    text,
    make: () => ({ kind: 'body-status', status }),
    is: (fault) => fault.kind === 'body-status' && fault.status === status,
  };
}

type PlainKind = 'reset-before-read' | 'reset-after-read' | 'stalled-body' | 'truncated-body' | 'wrong-json';

function plain(text: keyof Texts, kind: PlainKind): FaultRow {
  return { text, make: () => ({ kind }), is: (fault) => fault.kind === kind };
}
