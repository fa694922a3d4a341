import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SandboxTransaction } from '../../model/moves';
import { statusOf } from '../lists';
import type { Story as StoryData, StoryEntry } from '../page-state';
import { CallEntry, DeliveryEntry } from './activity';
import { Control } from './control';
import { useData, usePage } from './page-context';
import { Card, CopyButton, day, dayAndTime, html, Invented, money, StateBadge, time } from './parts';

/** One sale: what the payer sees, what can happen now, and all that has happened, in order of time. */
export function Story({ uuid, isChosen }: { uuid: string; isChosen: boolean }) {
  const { texts, state } = usePage();
  const story = useData<StoryData>(`journeys/${encodeURIComponent(uuid)}`, state.revision);
  const back = html`<a class="back" href="#sales">‹ ${texts.allSales}</a>`;
  if (story === undefined) return html`<article class="story">${back}</article>`;
  if (story === null)
    return html`<article class="story">${back}<p class="hint">${texts.noSuchSale}</p></article>`;
  const { journey, entries } = story;
  const isWaiting = statusOf(journey) === 'PENDING';
  return html`<article class="story" aria-label=${journey.referenceCode}>
    ${back}
    <${Summary} journey=${journey} />
    <div class="sides">
      <div>
        <${Now} journey=${journey} isChosen=${isChosen} />
        ${isWaiting && html`<${Code} journey=${journey} />`}
        <${Payments} journey=${journey} />
        <${Reversals} journey=${journey} />
        ${!isWaiting && html`<${Code} journey=${journey} />`}
      </div>
      <${Card} title=${texts.story}>
        <ol class="line">
          ${entries.map((entry) => html`<${Entry} key=${keyOf(entry)} entry=${entry} journey=${journey} />`)}
        </ol>
      </${Card}>
    </div>
  </article>`;
}

function Summary({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  const { uuid, referenceCode, amount, currency, createdAt, refunded } = journey;
  return html`<header class="summary">
    <div>
      <h2>${referenceCode}</h2>
      <p class="hint">${texts.created} ${dayAndTime(createdAt, language)}</p>
      <p class="hint uuid"><code>${uuid}</code> <${CopyButton} text=${() => uuid} what="UUID" /></p>
    </div>
    <div class="total">
      <strong>${money(amount, currency, language)}</strong>
      <${StateBadge} state=${statusOf(journey)} />
      ${refunded !== undefined && html`<p class="hint">${texts.refunded} ${money(refunded, currency, language)}</p>`}
    </div>
  </header>`;
}

/** What the payer and the bank can do now. */
function Now({ journey, isChosen }: { journey: SandboxTransaction; isChosen: boolean }) {
  const { texts } = usePage();
  const start = useRef<HTMLDivElement>(null);
  // The next Tab after a sale was opened is its first action.
  useEffect(() => {
    if (isChosen) start.current?.focus({ preventScroll: true });
  }, [isChosen]);
  const { uuid, referenceCode, situation, isAuthorized, immediatePayment } = journey;
  const controls = {
    PENDING: isAuthorized ? ['cancel'] : ['pay', 'cancel'],
    PAID: ['refund', 'reverse'],
    CANCELLED: [],
  }[situation];
  return html`<${Card} title=${texts.now}>
    ${situation === 'PENDING' && html`<p class="hint">${isAuthorized ? texts.isAuthorized : immediatePayment ? texts.canPay : texts.canAuthorize}</p>`}
    ${situation === 'CANCELLED' && html`<p class="hint">${texts.nothingToDo}</p>`}
    <div class="actions" tabindex="-1" ref=${start}>
      ${controls.map((name) => html`<${Control} key=${name} name=${name} id=${uuid} what=${referenceCode} kind=${name === 'pay' ? 'main' : undefined} />`)}
    </div>
    ${situation === 'PENDING' && !immediatePayment && html`<${Invented} row="authorization" />`}
  </${Card}>`;
}

/** What the payer sees. */
function Code({ journey }: { journey: SandboxTransaction }) {
  const { texts } = usePage();
  const { uuid, referenceCode, qrCodeText, situation } = journey;
  return html`<${Card} title=${texts.qrCode}>
    <div class="code">
      ${
        situation === 'PENDING' &&
        html`<img src=${`/sandbox/qr-codes/${encodeURIComponent(uuid)}.png`} alt=${`${texts.qrCode}: ${referenceCode}`} width="164" height="164" />`
      }
      <div>
        <p class="hint">${texts.qrText}</p>
        <code class="brcode">${qrCodeText}</code>
        <${CopyButton} text=${() => qrCodeText} what=${texts.qrText} />
        <${Invented} row="qrCodeMerchant" />
      </div>
    </div>
  </${Card}>`;
}

/** The payments of the coming months. */
function Payments({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  if (journey.scheduledPayments.length === 0) return null;
  const next = journey.scheduledPayments.findIndex(({ status }) => status === 'SCHEDULED');
  return html`<${Card} title=${texts.scheduled} extra=${html`<${Invented} row="scheduledPayments" />`}>
    <ol class="payments">
      ${journey.scheduledPayments.map(
        ({ instructionId, dueDate, amount, status, cancellationReason }, index) => {
          const what = day(dueDate, language);
          return html`<li key=${instructionId}>
          <span>${what}</span>
          <span class="sum">${money(amount, journey.currency, language)}</span>
          <${StateBadge} state=${status} of="payment" />
          ${cancellationReason !== undefined && html`<span class="hint">${cancellationReason}</span>`}
          ${
            index === next &&
            html`<div class="actions">
              <${Control} name="pay-scheduled" id=${instructionId} what=${what} kind="main" />
              <${Control} name="decline-scheduled" id=${instructionId} what=${what} />
              <${Control} name="cancel-scheduled" id=${instructionId} what=${what} kind="quiet" />
            </div>`
          }
          <span class="hint uuid"><code>${instructionId}</code> <${CopyButton} text=${() => instructionId} what=${texts.instruction} /></span>
        </li>`;
        },
      )}
    </ol>
  </${Card}>`;
}

function Reversals({ journey }: { journey: SandboxTransaction }) {
  const { texts, language } = usePage();
  if (journey.reversals.length === 0) return null;
  return html`<${Card} title=${texts.reversals}>
    <ol class="payments">
      ${journey.reversals.map(
        ({ uuid, amount, status, reason }) => html`<li key=${uuid}>
          <span>${reason}</span>
          <span class="sum">${money(amount, journey.currency, language)}</span>
          <${StateBadge} state=${status} of="payment" />
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

function Entry({ entry, journey }: { entry: StoryEntry; journey: SandboxTransaction }): VNode {
  const { texts, language } = usePage();
  if (entry.type === 'call') return html`<li class="call"><${CallEntry} call=${entry.call} /></li>`;
  if (entry.type === 'delivery')
    return html`<li class="delivery"><${DeliveryEntry} delivery=${entry.delivery} /></li>`;
  const { what, amount, detail } = entry.event;
  const date = what.startsWith('payment-') && detail !== undefined ? day(detail, language) : detail;
  const parts = [amount === undefined ? undefined : money(amount, journey.currency, language), date];
  return html`<li class="event">
    <p class="first"><strong>${texts[`event-${what}`]}</strong> <time>${time(entry.at, language)}</time></p>
    <p class="hint">${parts.filter((part) => part !== undefined).join(' · ')}</p>
  </li>`;
}
