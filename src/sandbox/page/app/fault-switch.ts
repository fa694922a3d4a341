import type { OperationName } from '../../../service/operations';
import type { FaultRow, FaultSettings } from './fault-rows';
import { html } from './html';
import { usePage } from './page-context';

/** More calls than anybody makes: JSON has no infinity. */
const EVERY_CALL = 1_000_000_000;

/** Sets a fault of an operation in the place of the one before, or takes it back. */
export function FaultSwitch(props: { operation: OperationName; row: FaultRow; settings: FaultSettings }) {
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
