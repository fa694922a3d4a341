import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { filled } from '../../../shared/filled';
import type { ListedDelivery } from '../../delivery/delivery-log';
import type { SandboxTransaction } from '../../model/moves';
import type { SandboxScheduledPayment } from '../../model/records';
import { statusOf } from '../lists';
import type { ListedJourney, Story as StoryData, StoryEntry } from '../page-state';
import { CallBody, CallLine, DeliveryBody, DeliveryLine } from './activity';
import { Control } from './form';
import { useData, usePage } from './page-context';
import {
  Badge,
  Card,
  CopyButton,
  day,
  html,
  Invented,
  money,
  Snippet,
  StateBadge,
  TroubleBadge,
  time,
} from './parts';
import { ListenerForm } from './tools';

/** One sale: all that has happened in order of time, what can happen now, and what the payer sees. */
export function Story({ uuid, known }: { uuid: string; known: ListedJourney | undefined }) {
  const { texts, state } = usePage();
  const story = useData<StoryData>(`journeys/${encodeURIComponent(uuid)}`, state.revision);
  const back = html`<a class="back" href="#sales">‹ ${texts.allSales}</a>`;
  if (story === undefined)
    return html`<article class="story" aria-busy="true">${back}<h2>${known?.referenceCode ?? '…'}</h2>
      <p class="card hint">${texts.loading}</p></article>`;
  if (story === null)
    return html`<article class="story">${back}<p class="hint">${texts.noSuchSale}</p></article>`;
  const { journey, entries } = story;
  const isWaiting = statusOf(journey) === 'PENDING';
  return html`<article class="story" aria-label=${journey.referenceCode}>
    ${back}
    <${Summary} story=${story} />
    <div class="sides">
      ${isWaiting && html`<${Code} journey=${journey} />`}
      <${Recurrence} story=${story} />
      <${Card} title=${texts.story} name="timeline">
        ${state.webhookUrl === undefined && entries.some(isSilent) && html`<div class="advice">${texts.noListener}<${ListenerForm} /></div>`}
        <ol class="line">
          ${entries.map((entry) => html`<${Entry} key=${keyOf(entry)} entry=${entry} story=${story} />`)}
        </ol>
      </${Card}>
      <${Reversals} journey=${journey} />
      ${!isWaiting && html`<details class="card"><summary>${texts.qrCode}</summary><${CodeText} journey=${journey} /></details>`}
    </div>
  </article>`;
}

/** What it is about, how it stands, and what the payer and the bank can do now. */
function Summary({ story }: { story: StoryData }) {
  const { texts, language, actedAt } = usePage();
  const { journey, left, trouble } = story;
  const {
    uuid,
    referenceCode,
    amount,
    currency,
    createdAt,
    refunded,
    situation,
    isAuthorized,
    immediatePayment,
    recurrence,
  } = journey;
  const start = useRef<HTMLDivElement>(null);
  // The next Tab after a sale was opened is its first action, and so after an action whose button is gone.
  useEffect(() => {
    if (!document.activeElement?.matches('input, select, textarea'))
      start.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const isLost = document.activeElement === document.body && Date.now() - actedAt.current < 5_000;
    if (isLost) start.current?.focus({ preventScroll: true });
  }, [story]);
  const isNew = recurrence.status === 'CREATED';
  const canPay = immediatePayment && (isNew || isAuthorized);
  const controls = {
    PENDING: [canPay && 'pay', isNew && 'authorize', 'cancel'].filter((name) => name !== false),
    PAID: left > 0 ? ['refund', 'reverse'] : [],
    CANCELLED: [],
  }[situation];
  const pending = isNew
    ? immediatePayment
      ? texts.canPay
      : texts.canAuthorize
    : isAuthorized
      ? texts.isAuthorized
      : texts.isOver;
  const hint = {
    PENDING: pending,
    PAID: controls.length === 0 ? texts.allReturned : undefined,
    CANCELLED: texts.nothingToDo,
  }[situation];
  return html`<header class="summary">
    <h2>${referenceCode}</h2>
    <strong class="sum">${money(amount, currency, language)}</strong>
    <p class="badges">
      <${StateBadge} state=${statusOf(journey)} />
      ${trouble !== undefined && html`<${TroubleBadge} trouble=${trouble} />`}
      ${refunded !== undefined && html`<span class="hint">${texts.refunded} ${money(refunded, currency, language)}</span>`}
      <span class="hint">${texts.created} ${time(createdAt, language)}</span>
    </p>
    <p class="hint uuid"><code>${uuid}</code> <${CopyButton} text=${() => uuid} what="UUID" /></p>
    <div class="actions" tabindex="-1" role="group" aria-label=${texts.now} ref=${start}>
      ${controls.map((name) => html`<${Control} key=${name} name=${name} id=${uuid} what=${referenceCode} kind=${name === controls[0] && name !== 'refund' && name !== 'cancel' ? 'main' : undefined} />`)}
      ${hint !== undefined && html`<span class="hint">${hint}</span>`}
      ${situation === 'PENDING' && isAuthorized && html`<${Invented} row="authorization" />`}
    </div>
  </header>`;
}

/** What the payer sees. */
function Code({ journey }: { journey: SandboxTransaction }) {
  const { texts } = usePage();
  const { uuid, referenceCode } = journey;
  return html`<${Card} title=${texts.qrCode}>
    <img class="code" src=${`/sandbox/qr-codes/${encodeURIComponent(uuid)}.png`} alt=${`${texts.qrCode}: ${referenceCode}`} width="180" height="180" />
    <${CodeText} journey=${journey} />
  </${Card}>`;
}

function CodeText({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  const { expiresAt } = journey;
  const until =
    expiresAt &&
    filled(texts[Date.parse(expiresAt) > Date.now() ? 'validUntil' : 'expired'], {
      time: time(expiresAt, language),
    });
  return html`<p class="hint">${texts.qrText}${until && ` · ${until}`}</p>
    <${Snippet} text=${journey.qrCodeText} what=${texts.qrText} />
    <${Invented} row="qrCodeMerchant" />`;
}

/** How the recurrence stands, what can happen to it now, and its months as a calendar. */
function Recurrence({ story }: { story: StoryData }) {
  const { texts, language } = usePage();
  const { journey, entries } = story;
  const { uuid, referenceCode: what, scheduledPayments } = journey;
  const { idRec, status, nextDueDate } = journey.recurrence;
  const deliveries = entries.flatMap((entry) => (entry.type === 'delivery' ? [entry.delivery] : []));
  const next = scheduledPayments.find((payment) => payment.status === 'SCHEDULED');
  const control = (name: string, more: object = {}) =>
    html`<${Control} key=${name} name=${name} id=${uuid} what=${what} ...${more} />`;
  return html`<${Card} title=${texts.recurrence} extra=${html`<${StateBadge} state=${status} of="recurrence" />`}>
    ${
      status === 'APPROVED' &&
      html`<p class="hint">${nextDueDate === undefined ? texts.noNextCharge : `${texts.nextCharge} ${day(nextDueDate, language)}`}</p>
      <div class="actions">
        ${nextDueDate !== undefined && control('charge', { kind: 'main', only: [] })}
        ${nextDueDate !== undefined && control('charge', { label: texts.letFail, only: ['fails', 'retry'] })}
        ${control('cancel-recurrence')}
        ${control('conclude-recurrence', { kind: 'quiet' })}
      </div>`
    }
    ${
      status === 'CREATED' &&
      html`<div class="actions">
        ${control('reject-recurrence')} ${control('expire-recurrence', { kind: 'quiet' })}
      </div>`
    }
    ${
      scheduledPayments.length > 0 &&
      html`<ol class="months">
      ${scheduledPayments.map(
        (payment) =>
          html`<${Month} key=${payment.instructionId} payment=${payment} journey=${journey} deliveries=${deliveries} isNext=${payment === next} />`,
      )}
    </ol>`
    }
    <p class="hint uuid"><code>${idRec}</code> <${CopyButton} text=${() => idRec} what="idRec" /></p>
    <${Invented} row="recurrenceEvents" />
  </${Card}>`;
}

/** One payment of the calendar: when it is due, how it went each time, and what was delivered about it. */
function Month(props: {
  payment: SandboxScheduledPayment;
  journey: SandboxTransaction;
  deliveries: readonly ListedDelivery[];
  isNext: boolean;
}) {
  const { texts, language, place, setup } = usePage();
  const { payment, journey, deliveries, isNext } = props;
  const { instructionId, dueDate, amount, status, tries, cancellationReason } = payment;
  const sales = tries.map(({ saleUUID }) => saleUUID).filter((sale) => sale !== undefined);
  const failed = tries.filter((each) => each.status === 'FAILED');
  const words = setup.controls.find(({ name }) => name === 'charge')?.fields['fails']?.words ?? {};
  const isRetried = status === 'SCHEDULED' && failed.length > 0;
  const what = day(dueDate, language);
  return html`<li>
    <time datetime=${dueDate}>${what}</time>
    <div>
      <p class="first">
        <strong class="sum">${money(amount, journey.currency, language)}</strong>
        <${StateBadge} state=${isRetried ? 'RETRY' : status} of="payment" />
      </p>
      ${cancellationReason !== undefined && html`<p class="hint">“${cancellationReason}”</p>`}
      ${failed.map(
        ({ date, code = '', willRetry }) => html`<p class="hint" key=${date}>
          ${day(date.slice(0, 10), language)}: ${words[code]?.[place] ?? code}. ${willRetry ? texts.triedAgain : texts.notTriedAgain}
        </p>`,
      )}
      <ul class="told">
        ${deliveries
          .filter(({ sale }) => sale !== undefined && sales.includes(sale))
          .map((delivery) => html`<${Told} key=${delivery.id} delivery=${delivery} />`)}
      </ul>
      ${
        isNext &&
        html`<div class="actions"><${Control} name="cancel-scheduled" id=${instructionId} what=${what} kind="quiet" /></div>
        <p class="hint uuid"><code>${instructionId}</code> <${CopyButton} text=${() => instructionId} what=${texts.instruction} /></p>`
      }
    </div>
  </li>`;
}

/** A notification about a month, and whether it was delivered. */
function Told({ delivery }: { delivery: ListedDelivery }) {
  const { texts, place, setup } = usePage();
  const { kind, about, status } = delivery;
  const tone = ({ 'not-sent': 'open', pending: 'open', delivered: 'good', 'given-up': 'bad' } as const)[
    status
  ];
  return html`<li><code>${about[0] ?? setup.kinds[kind][place]}</code> <${Badge} text=${texts[status]} tone=${tone} /></li>`;
}

function Reversals({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  if (journey.reversals.length === 0) return null;
  return html`<${Card} title=${texts.reversals}>
    <ol class="payments">
      ${journey.reversals.map(
        ({ uuid, amount, status, reason }) => html`<li key=${uuid}>
          <span class="sum">${money(amount, journey.currency, language)}</span>
          <${StateBadge} state=${status} of="reversal" />
          <span class="hint">${texts.reason}: “${reason}”</span>
          ${
            status === 'PENDING' &&
            html`<div class="actions">
              <${Control} name="complete-reversal" id=${uuid} what=${uuid} />
              <${Control} name="cancel-reversal" id=${uuid} what=${uuid} kind="quiet" />
            </div>`
          }
        </li>`,
      )}
    </ol>
  </${Card}>`;
}

function keyOf(entry: StoryEntry): string {
  if (entry.type === 'call') return `call-${entry.call.id}`;
  return entry.type === 'delivery' ? entry.delivery.id : `${entry.event.what}-${entry.at}`;
}

function Entry({ entry, story }: { entry: StoryEntry; story: StoryData }): VNode {
  const { texts, language } = usePage();
  if (entry.type === 'call')
    return html`<li><div role="group" aria-label=${entry.call.operation}>
      <p class="first"><${CallLine} call=${entry.call} isInStory=${true} /></p><${CallBody} call=${entry.call} />
    </div></li>`;
  if (entry.type === 'delivery') {
    const { delivery } = entry;
    return html`<li class="delivery"><div role="group" aria-label=${`${delivery.kind} ${delivery.id}`}>
      <p class="first"><${DeliveryLine} delivery=${delivery} isInStory=${true} /></p><${DeliveryBody} delivery=${delivery} />
    </div></li>`;
  }
  const { what, amount, detail } = entry.event;
  const date =
    what.startsWith('payment-') && detail !== undefined ? day(detail, language) : detail && `“${detail}”`;
  const parts = [amount === undefined ? undefined : money(amount, story.journey.currency, language), date];
  return html`<li class="event">
    <p class="first"><strong>${texts[`event-${what}`]}</strong> <time>${time(entry.at, language)}</time></p>
    <p class="hint">${parts.filter((part) => part !== undefined).join(' · ')}</p>
  </li>`;
}

/** Whether a notification is kept, because the sandbox did not know where to send it. */
function isSilent(entry: StoryEntry): boolean {
  return entry.type === 'delivery' && entry.delivery.status === 'not-sent';
}
