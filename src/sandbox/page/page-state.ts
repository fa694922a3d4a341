import type { PayoutErrorCode } from '../../service/kinds/payout';
import type { DeliveryDetails } from '../delivery/delivery-log';
import type { WebhookUrl } from '../delivery/listener-url';
import { inventionTable } from '../inventions';
import type { PendingFault } from '../model/fault-queue';
import { payoutErrorCodes } from '../model/payout';
import type { SandboxTransaction } from '../model/transactions';
import { scenarioNames } from '../scenarios';
import type { Service } from '../service';
import { type ClientCall, LIST_LENGTH } from './call-log';

/** Everything that the page shows. It is sent whole after each change, so that the page needs no copy to update. */
export interface PageState {
  /** Base URL for clients. */
  readonly url: string;
  /** The default pair, if the sandbox uses it. Other credentials are never shown. */
  readonly defaultCredentials: { readonly apiKey: string; readonly apiToken: string } | undefined;
  readonly webhookUrl: WebhookUrl | undefined;
  readonly canVerify: boolean;
  /** How many entries each of the following lists has at most. */
  readonly listLength: number;
  /** The newest last, as in the other lists. */
  readonly journeys: readonly SandboxTransaction[];
  readonly deliveries: readonly DeliveryDetails[];
  readonly calls: readonly ClientCall[];
  readonly faults: readonly PendingFault[];
  /** The names of the scenarios. */
  readonly scenarios: readonly string[];
  /** The codes that a payout can fail with. */
  readonly payoutErrorCodes: readonly PayoutErrorCode[];
  /** By row of the table of inventions: what the document does not show. */
  readonly inventions: Readonly<Record<string, string>>;
}

const notShown = Object.fromEntries(
  Object.entries(inventionTable).map(([row, { section, notShown }]) => [row, `§${section}: ${notShown}`]),
);

/** The part that stays the same as long as the sandbox runs. */
export type PageSettings = Pick<PageState, 'url' | 'defaultCredentials' | 'canVerify'>;

/** A snapshot for the page. */
export function pageState(
  service: Pick<Service, 'model' | 'deliveryLog' | 'faults' | 'controls'>,
  calls: readonly ClientCall[],
  settings: PageSettings,
): PageState {
  return {
    ...settings,
    listLength: LIST_LENGTH,
    webhookUrl: service.controls.webhookUrl,
    journeys: service.model.newestTransactions(LIST_LENGTH),
    deliveries: service.deliveryLog.newest(LIST_LENGTH),
    calls,
    faults: service.faults.pending,
    scenarios: scenarioNames,
    payoutErrorCodes,
    inventions: notShown,
  };
}

/** The result of one check of a listener. */
export interface VerifyResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: 'passed' | 'failed' | 'not-checked';
  /** What is wrong. */
  readonly problems: readonly string[];
  /** What could not be checked, and why. */
  readonly open: readonly string[];
  /** What to do about a failure. */
  readonly fix: string | undefined;
}

/** The result of the checklist, for the page's button. */
export interface VerifyReport {
  readonly checks: readonly VerifyResult[];
}

/** Runs the checklist against a listener. Only the command line has a checklist, and passes it in. */
export type Verify = (listenerUrl: string) => Promise<VerifyReport>;
