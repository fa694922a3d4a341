import type { OperationName } from '../../errors';
import type { Control, Input } from '../controls/control';
import { controls, kindTexts } from '../controls/controls';
import type { SandboxCore } from '../core';
import type { ListedDelivery } from '../delivery/delivery-log';
import { type FaultKind, faultKinds, type PendingFault } from '../faults';
import { inventionTable } from '../inventions';
import { amountLeft, type SandboxTransaction } from '../model/moves';
import { sandboxOperations } from '../model/operations';
import type { JourneyEvent, TransactionRecord } from '../model/records';
import { isAuthorized } from '../model/recurrence';
import type { Text } from '../text';
import type { CallBodies, CallLog, ClientCall } from './call-log';
import { type Listed, PAGE_LENGTH, statusOf, type Trouble } from './lists';

/** What the page learns of every change. Everything else it asks for when it shows it. */
export interface PageState {
  readonly webhookUrl: string | undefined;
  readonly faults: readonly PendingFault[];
  /** How many notifications have failed so far, or for good. */
  readonly failing: number;
  /** Grows with everything that happens. */
  readonly revision: number;
}

/** What stays the same as long as the sandbox runs. */
export interface PageSettings {
  /** Base URL for clients. */
  readonly url: string;
  /** The default pair, if the sandbox uses it. Other credentials are never shown. */
  readonly defaultCredentials: { readonly apiKey: string; readonly apiToken: string } | undefined;
  readonly canVerify: boolean;
}

/** A control, as far as its form needs it. */
export interface ControlForm extends Pick<Control, 'name' | 'method' | 'path' | 'label' | 'about' | 'oneOf'> {
  readonly fields: Readonly<
    Record<
      string,
      { input: Input; label: Text; words: Readonly<Record<string, Text>> | undefined; isOptional: boolean }
    >
  >;
}

/** The settings with what the page is made of. */
export interface PageSetup extends PageSettings {
  readonly controls: readonly ControlForm[];
  readonly faultKinds: readonly FaultKind['kind'][];
  readonly kinds: typeof kindTexts;
  readonly operations: Readonly<Record<OperationName, Text>>;
  /** By row of the table of inventions: what is invented, and why. */
  readonly inventions: Readonly<Record<string, Text>>;
}

/** A journey in the list. */
export interface ListedJourney
  extends Pick<
    TransactionRecord,
    'uuid' | 'referenceCode' | 'situation' | 'amount' | 'currency' | 'createdAt'
  > {
  readonly isAuthorized: boolean;
  readonly trouble: Trouble | undefined;
}

/** One entry of a story. */
export type StoryEntry = { readonly at: number } & (
  | { readonly type: 'event'; readonly event: JourneyEvent }
  | { readonly type: 'call'; readonly call: ClientCall }
  | { readonly type: 'delivery'; readonly delivery: ListedDelivery }
);

/** A journey with all that belongs to it, in order of time. */
export interface Story {
  readonly journey: SandboxTransaction;
  /** What no refund and no reversal has taken, in the currency's main unit. */
  readonly left: number;
  readonly trouble: Trouble | undefined;
  readonly entries: readonly StoryEntry[];
}

const rows = Object.entries(inventionTable).map(([row, { about }]) => [row, about]);

const operations = Object.fromEntries(
  Object.entries(sandboxOperations).map(([name, { label }]) => [name, label]),
) as PageSetup['operations'];

/** Everything that the page may ask for. */
export class PageData {
  readonly #core: SandboxCore;
  readonly #calls: CallLog;
  readonly #settings: PageSettings;
  readonly #show: <Value extends object>(value: Value) => Value;

  /** @param show - blanks the credentials in what the page gets, unless they are the default pair */
  constructor(
    core: SandboxCore,
    calls: CallLog,
    settings: PageSettings,
    show: <Value extends object>(value: Value) => Value,
  ) {
    this.#core = core;
    this.#calls = calls;
    this.#settings = settings;
    this.#show = show;
  }

  get state(): PageState {
    const { model, deliveryLog, faults, controls } = this.#core;
    return this.#show({
      webhookUrl: controls.webhookUrl,
      faults: faults.pending,
      failing: deliveryLog.failing.size,
      revision: model.state.revision + deliveryLog.revision + this.#calls.revision,
    });
  }

  /** Answers `GET /sandbox/page/…`; `undefined` for what does not exist. */
  answer(target: string): object | undefined {
    const found = this.#find(target);
    return found && this.#show(found);
  }

  #find(target: string): object | undefined {
    const { pathname, searchParams } = new URL(target, 'http://page.invalid');
    const [what = '', id] = pathname.replace('/sandbox/page/', '').split('/').map(decodeURIComponent);
    const skip = (Number(searchParams.get('page') ?? 1) - 1) * PAGE_LENGTH || 0;
    switch (id === undefined ? what : `${what}/:id`) {
      case 'setup':
        return this.#setup();
      case 'journeys':
        return this.#journeys(searchParams.get('search') ?? '', searchParams.get('state') ?? '', skip);
      case 'journeys/:id':
        return this.#story(id ?? '');
      case 'deliveries':
        return this.#deliveries(searchParams, skip);
      case 'deliveries/:id':
        return this.#core.deliveryLog.payload(id ?? '');
      case 'calls':
        return this.#listedCalls(searchParams, skip);
      case 'calls/:id':
        return this.#calls.bodies(Number(id)) satisfies CallBodies | undefined;
      case 'calls-about/:id':
        // For `verify`, which asks about its hidden journeys.
        return { calls: this.#calls.calls.filter(({ journey }) => journey === id).length };
      default:
        return undefined;
    }
  }

  #setup(): PageSetup {
    const forms = controls
      .filter(({ method }) => method !== 'GET')
      .map(({ name, method, path, label, about, oneOf, fields }) => {
        const shown = Object.entries(fields).filter(([, { isForScripts }]) => isForScripts !== true);
        const described = shown.map(([field, { input, label, words, schema }]) => {
          const isOptional = schema.safeParse(undefined).success;
          return [field, { input, label, words, isOptional }] as const;
        });
        return { name, method, path, label, about, oneOf, fields: Object.fromEntries(described) };
      });
    return {
      ...this.#settings,
      controls: forms,
      faultKinds,
      kinds: kindTexts,
      operations,
      inventions: Object.fromEntries(rows),
    };
  }

  /** The worst that happened to the notifications of each journey; only those that have failed are looked at. */
  #troubles(): ReadonlyMap<string | undefined, Trouble> {
    const troubles = new Map<string | undefined, Trouble>();
    for (const { journey, status } of this.#core.deliveryLog.failing) {
      if (status === 'given-up') troubles.set(journey, status);
      else if (!troubles.has(journey)) troubles.set(journey, 'failing');
    }
    return troubles;
  }

  #journeys(search: string, state: string, skip: number): Listed<ListedJourney> {
    const wanted = search.trim().toLowerCase();
    const items: ListedJourney[] = [];
    let total = 0;
    const troubles = this.#troubles();
    for (const record of this.#core.model.listedJourneys()) {
      const { uuid, referenceCode, situation, amount, currency, createdAt } = record;
      const trouble = troubles.get(uuid);
      const listed = { situation, isAuthorized: isAuthorized(record) };
      if (state !== '' && state !== statusOf(listed) && !(state === 'TROUBLE' && trouble)) continue;
      if (!referenceCode.toLowerCase().includes(wanted) && !uuid.includes(wanted)) continue;
      total++;
      if (total > skip && items.length < PAGE_LENGTH) {
        items.push({ uuid, referenceCode, ...listed, amount, currency, createdAt, trouble });
      }
    }
    return { total, items };
  }

  #story(uuid: string): Story | undefined {
    const { model, deliveryLog } = this.#core;
    const journey = model.journey(uuid);
    if (journey === undefined) return undefined;
    const calls = this.#calls.calls
      .filter((call) => call.journey === uuid)
      .reverse()
      .map((call) => ({ at: call.at, type: 'call' as const, call }));
    const isCalled = calls.some(({ call }) => call.operation === 'createRecurringCheckout');
    // The client's call tells of the beginning already.
    const events = journey.record.events
      .filter(({ what }) => what !== 'created' || !isCalled)
      .map((event) => ({ at: event.at, type: 'event' as const, event }));
    const deliveries = deliveryLog
      .listed(({ journey }) => journey === uuid)
      .map((delivery) => ({ at: delivery.createdAt, type: 'delivery' as const, delivery }));
    // Stable: what happened comes before the deliveries of the same millisecond, and after the call that caused it.
    const entries = [...calls, ...events, ...deliveries].sort((one, other) => one.at - other.at);
    const trouble = this.#troubles().get(uuid);
    return { journey: journey.described, left: amountLeft(journey.record), trouble, entries };
  }

  /** The newest first. */
  #deliveries(
    filter: URLSearchParams,
    skip: number,
  ): Listed<ListedDelivery & { reference: string | undefined }> {
    const { model, deliveryLog } = this.#core;
    const [kind, result] = [filter.get('kind') ?? '', filter.get('result') ?? ''];
    const wanted = (filter.get('search') ?? '').trim().toLowerCase();
    const referenceOf = (journey = '') => model.journey(journey)?.record.referenceCode;
    const found = deliveryLog.listed(
      (one) =>
        (kind === '' || one.kind === kind) &&
        (result === '' || one.status === result) &&
        [one.id, one.journey, referenceOf(one.journey), wanted === '' ? '' : one.body].some((text) =>
          text?.toLowerCase().includes(wanted),
        ),
    );
    const items = found.reverse().slice(skip, skip + PAGE_LENGTH);
    return {
      total: found.length,
      items: items.map((delivery) => ({ ...delivery, reference: referenceOf(delivery.journey) })),
    };
  }

  /** Without the calls about hidden journeys, which are those of `verify`. */
  #listedCalls(
    filter: URLSearchParams,
    skip: number,
  ): Listed<ClientCall & { reference: string | undefined }> {
    const [operation, result] = [filter.get('operation') ?? '', filter.get('result') ?? ''];
    const wanted = (filter.get('search') ?? '').trim().toLowerCase();
    const calls = this.#calls.calls.flatMap((call) => {
      const { journey, path, status = 500, unknownFields } = call;
      const record = journey === undefined ? undefined : this.#core.model.journey(journey)?.record;
      const isHidden = journey !== undefined && record === undefined;
      const reference = record?.referenceCode;
      const fits =
        (operation === '' || call.operation === operation) &&
        (result !== 'failed' || status >= 400) &&
        (result !== 'unknown-fields' || unknownFields.length > 0) &&
        [reference, journey, path].some((text) => text?.toLowerCase().includes(wanted));
      return isHidden || !fits ? [] : [{ ...call, reference }];
    });
    return { total: calls.length, items: calls.slice(skip, skip + PAGE_LENGTH) };
  }
}

/** The result of one check of a listener. */
export interface VerifyResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: 'passed' | 'failed' | 'not-checked';
  /** What was sent, and what the listener answered, save what a problem tells. */
  readonly sent: readonly string[];
  /** What is wrong. */
  readonly problems: readonly string[];
  /** What could not be checked, and why. */
  readonly open: readonly string[];
  /** What is worth knowing, and no fault. */
  readonly warning: string | undefined;
  /** What usually makes it fail, and what to do. */
  readonly hint: string | undefined;
  /** The title of an earlier step that failed in the same way. */
  readonly follows?: string | undefined;
}

/** The result of the checklist, for the page's button. */
export interface VerifyReport {
  readonly checks: readonly VerifyResult[];
  /** Why it ended before its last check. */
  readonly ended: string | undefined;
  /** What it cannot see. */
  readonly notSeen: readonly string[];
}

/** What the page's check needs. */
export interface VerifyRequest {
  readonly url: string;
  /** Answers a row for each thing that the listener has booked. */
  readonly effects?: string | undefined;
}

/**
 * Runs the checklist against a listener, and reports in English or Portuguese. Only the command line has a checklist, and
 * passes it in.
 */
export type Verify = (request: VerifyRequest, isPortuguese?: boolean) => Promise<VerifyReport>;
