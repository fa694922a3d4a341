import type { DeliveryDetails } from '../delivery/delivery-log';
import type { WebhookUrl } from '../delivery/listener-url';
import { inventionTable } from '../inventions';
import type { PendingFault } from '../model/fault-queue';
import type { SandboxTransaction } from '../model/transactions';
import { scenarioNames } from '../scenarios';
import type { Service } from '../service';
import type { ClientCall } from './call-log';

/** All that the page shows: it is sent whole at each change, so that the page keeps nothing of its own. */
export interface PageState {
  /** Base URL for clients. */
  readonly url: string;
  /** Whether the pair is the sandbox's own; only then is it shown. */
  readonly defaultCredentials: { readonly apiKey: string; readonly apiToken: string } | undefined;
  readonly webhookUrl: WebhookUrl | undefined;
  readonly canVerify: boolean;
  /** The newest last, as the other lists. */
  readonly journeys: readonly SandboxTransaction[];
  readonly deliveries: readonly DeliveryDetails[];
  readonly calls: readonly ClientCall[];
  readonly faults: readonly PendingFault[];
  /** The names of the stories that can be played. */
  readonly scenarios: readonly string[];
  /** By row of the table of inventions: what the document does not show. */
  readonly inventions: Readonly<Record<string, string>>;
}

/** As many journeys and deliveries as the page shows. */
const SHOWN = 50;

const notShown = Object.fromEntries(
  Object.entries(inventionTable).map(([row, { section, notShown }]) => [row, `§${section}: ${notShown}`]),
);

/** What is the same for as long as the sandbox runs. */
export type PageSettings = Pick<PageState, 'url' | 'defaultCredentials' | 'canVerify'>;

/** A picture of this moment. */
export function pageState(
  service: Pick<Service, 'model' | 'deliveryLog' | 'faults' | 'controls'>,
  calls: readonly ClientCall[],
  settings: PageSettings,
): PageState {
  return {
    ...settings,
    webhookUrl: service.controls.webhookUrl,
    journeys: service.model.newestTransactions(SHOWN),
    deliveries: service.deliveryLog.newest(SHOWN),
    calls,
    faults: service.faults.pending,
    scenarios: scenarioNames,
    inventions: notShown,
  };
}

/** What a check of a listener found. */
export interface VerifyResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: 'passed' | 'failed' | 'not-checked';
  /** What was seen that is wrong. */
  readonly problems: readonly string[];
  /** What could not be told, and why. */
  readonly open: readonly string[];
  /** What to do about a failure. */
  readonly fix: string | undefined;
}

/** What the checklist found, for the page's button. */
export interface VerifyReport {
  readonly checks: readonly VerifyResult[];
}

/** Runs the checklist against a listener. The command line has it, and passes it in. */
export type Verify = (listenerUrl: string) => Promise<VerifyReport>;
