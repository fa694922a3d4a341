import { readDay, writeDay } from '../pix/pix-calendar';
import { schedulePayments } from './model/moves';
import { SandboxError, type SandboxScheduledPayment } from './model/records';
import type { ServiceModel } from './model/service-model';

/** A scenario that the sandbox can play on a journey. */
export type ScenarioName = 'happy-year' | 'no-funds-three-times' | 'payer-cancels';

/** How a scenario is played. */
export interface ScenarioOptions {
  /** Which of its notifications to send, from 1. Default: all of them, at once. */
  readonly step?: number | undefined;
}

/**
 * A notification about a charge of a recurrence. The document shows none (section 6.1), so all of its fields are the sandbox's invention. The example `recurrence-notifications` reads it.
 */
export interface ScenarioNotification {
  /** Marks every body as invented. */
  readonly invented: 'by the sandbox';
  /** The journey that it belongs to. */
  readonly transactionUUID: string;
  /** The scheduled payment. */
  readonly instructionId: string;
  /** `yyyy-MM-dd`. */
  readonly dueDate: string;
  /** The day of the event, `yyyy-MM-dd`. */
  readonly date: string;
  /** In the currency's main unit. */
  readonly amount: number;
  /** 0 before the first attempt. */
  readonly attempt: number;
  /** `SCHEDULED`, `CANCELLED` or `PAID`. */
  readonly status: 'SCHEDULED' | 'CANCELLED' | 'PAID';
  /** Why it was cancelled: a code that `explainPixCode` explains for `charge-cancelled`. */
  readonly code?: string | undefined;
}

/** What was played. */
export interface PlayedScenario {
  /** How many notifications the scenario has. */
  readonly steps: number;
  /** The notifications that were sent now, in order. */
  readonly sent: readonly ScenarioNotification[];
}

/** What happens to one payment; `days` counts from the day on which it is due. */
type Event = readonly [attempt: number, status: ScenarioNotification['status'], days: number, code?: string];

const scheduled: Event = [0, 'SCHEDULED', -10];
const paid: Event = [1, 'PAID', 0];

/** Each scenario by its payments, and each payment by its events. */
const SCENARIOS: Readonly<Record<ScenarioName, readonly (readonly Event[])[]>> = {
  /** Twelve payments, all of them paid at the first attempt. */
  'happy-year': Array.from({ length: 12 }, () => [scheduled, paid]),
  /** The first attempt and two retries fail; the third retry, on the sixth day, is paid. */
  'no-funds-three-times': [
    [
      scheduled,
      [1, 'CANCELLED', 0, 'FAIL'],
      [2, 'CANCELLED', 2, 'FAIL'],
      [3, 'CANCELLED', 4, 'FAIL'],
      [4, 'PAID', 6],
    ],
  ],
  /** The payer cancels one payment, which does not end the recurrence, and then the authorization. */
  'payer-cancels': [
    [scheduled, [1, 'CANCELLED', -1, 'SLBD']],
    [scheduled, paid],
    [scheduled, [1, 'CANCELLED', -1, 'CCLD']],
  ],
};

/** The names of all scenarios. */
export const scenarioNames = Object.keys(SCENARIOS) as ScenarioName[];

/**
 * Plays a scenario on a journey. A journey that is not paid yet is paid first. If it has fewer scheduled payments than
 * the scenario, the missing ones are scheduled, up to the journey's last date.
 */
export function playScenario(
  { controls, state }: Pick<ServiceModel, 'controls' | 'state'>,
  name: ScenarioName,
  transactionUUID: string,
  { step }: ScenarioOptions = {},
): PlayedScenario {
  if (!Object.hasOwn(SCENARIOS, name))
    throw new SandboxError(
      'unknown',
      `No scenario has this name. Expected one of ${scenarioNames.join(', ')}.`,
    );
  const payments = schedulePayments(state, transactionUUID, SCENARIOS[name].length);

  // A journey whose last date comes too early has fewer payments, and plays less of the scenario.
  const all = payments.flatMap((payment, index) =>
    (SCENARIOS[name][index] ?? []).map((event) => ({ payment, notification: describe(payment, event) })),
  );
  if (step !== undefined && all[step - 1] === undefined) {
    const message =
      all.length === 0
        ? 'This journey has no steps to play: its `finalDate` comes before its first payment.'
        : `The scenario has the steps 1 to ${all.length} for this journey.`;
    const portuguese =
      all.length === 0
        ? 'Esta jornada não tem etapas: a `finalDate` dela vem antes do primeiro pagamento.'
        : `O cenário tem as etapas 1 a ${all.length} para esta jornada.`;
    throw new SandboxError('invalid', message, portuguese);
  }

  const played = step === undefined ? all : all.slice(step - 1, step);
  for (const { payment, notification } of played) {
    if (notification.status === 'PAID' && payment.status === 'SCHEDULED')
      controls.payScheduledPayment(payment.instructionId);
    controls.notify(notification, 'type=recurrence');
  }
  return { steps: all.length, sent: played.map(({ notification }) => notification) };
}

function describe(
  payment: SandboxScheduledPayment,
  [attempt, status, days, code]: Event,
): ScenarioNotification {
  const { transactionUUID, instructionId, dueDate, amount } = payment;
  return {
    invented: 'by the sandbox',
    transactionUUID,
    instructionId,
    dueDate,
    date: writeDay((readDay(dueDate) ?? 0) + days),
    amount,
    attempt,
    status,
    ...(code === undefined ? {} : { code }),
  };
}
