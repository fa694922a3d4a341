import { useEffect, useRef } from 'preact/hooks';
import { PAGE_LENGTH, statusOf } from '../lists';
import type { ListedJourney } from '../page-state';
import { Control } from './form';
import { useList, usePage, useView } from './page-context';
import {
  Card,
  Filters,
  html,
  money,
  Pager,
  Settings,
  Snippet,
  StateBadge,
  TroubleBadge,
  time,
  Waiting,
} from './parts';
import { Story } from './story';

const states = ['PENDING', 'AUTHORIZED', 'PAID', 'CANCELLED', 'TROUBLE'] as const;

/** Where a new sale begins. */
const NEW = 'new';

/** Whether the address leads to the sales still: it changes before the page is told of it. */
const isAtSales = () => ['', '#sales', `#sales/${NEW}`].includes(location.hash);

/** The sales: the list on one side, the story of the open one on the other. On a phone, one at a time. */
export function Sales({ open }: { open: string }) {
  const { texts, state } = usePage();
  const view = useView('journeys');
  const { shown, hold } = useList<ListedJourney>(view.what, state.revision, ({ uuid }) => uuid);
  const isFirst = useRef(true);
  // A wide page begins with the newest sale. Only then: a sale that comes later must not move under the mouse.
  useEffect(() => {
    if (shown === undefined || !isFirst.current) return;
    isFirst.current = false;
    const newest = shown.items[0]?.uuid;
    if (open === '' && isAtSales() && newest !== undefined && matchMedia('(min-width: 900px)').matches)
      location.replace(`#sales/${newest}`);
  }, [shown]);
  const known = shown?.items.find(({ uuid }) => uuid === open);
  const hasStory = open !== '' && open !== NEW;
  const choices = {
    state: [texts.state, [['', texts.all], ...states.map((name) => [name, texts[name]])]],
  };
  return html`<div class=${open === '' && shown?.total !== 0 ? 'sales' : 'sales has-open'}>
    <div class="list">
      <h2 class="for-readers">${texts.sales}</h2>
      <${Filters} search=${texts.search} choices=${choices} values=${view.values} onChange=${view.narrow} />
      <p class="head">
        <a class="new" href=${`#sales/${NEW}`} aria-current=${hasStory ? undefined : 'page'}>+ ${texts.newSale}</a>
        <${Waiting} count=${shown?.waiting} />
      </p>
      ${shown?.total === 0 && html`<p class="hint">${view.isFiltered ? texts.nothingFound : texts.emptyTitle}</p>`}
      <ul class="items" ...${hold}>
        ${shown?.items.map((journey) => html`<${Item} key=${journey.uuid} journey=${journey} isOpen=${journey.uuid === open} />`)}
      </ul>
      ${shown && html`<${Pager} page=${view.page} total=${shown.total} length=${PAGE_LENGTH} onPage=${view.turn} />`}
    </div>
    ${hasStory ? html`<${Story} key=${open} uuid=${open} known=${known} />` : html`<${Start} />`}
  </div>`;
}

function Item({ journey, isOpen }: { journey: ListedJourney; isOpen: boolean }) {
  const { language } = usePage();
  const { uuid, referenceCode, amount, currency, createdAt, trouble } = journey;
  return html`<li>
    <a href=${`#sales/${uuid}`} aria-current=${isOpen ? 'true' : undefined}>
      <strong>${referenceCode}</strong>
      <span class="sum">${money(amount, currency, language)}</span>
      ${trouble === undefined ? html`<time>${time(createdAt, language)}</time>` : html`<${TroubleBadge} trouble=${trouble} />`}
      <${StateBadge} state=${statusOf(journey)} />
    </a>
  </li>`;
}

/** How a sale begins: here or in code. */
function Start() {
  const { texts } = usePage();
  const onDone = (answer: object) => {
    if (isAtSales()) location.hash = `sales/${(answer as { uuid: string }).uuid}`;
  };
  return html`<article class="start">
    <a class="back" href="#sales">‹ ${texts.allSales}</a>
    <${Card} title=${texts.newSale}><${Control} name="create" isOpen=${true} onDone=${onDone} /></${Card}>
    <${Card} title=${texts.emptyCode}>
      <${Settings} />
      <${Snippet} text=${snippet} what=${texts.emptyCode} />
    </${Card}>
  </article>`;
}

const snippet = `import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';

const orders = createOrders({
  client: PaymentsClient.fromEnv(),
  store: new MemoryStore(),
  on: {
    paid: async ({ order, amount }) => console.log('Paid:', order, amount),
    returned: 'ignore',
  },
});
const order = await orders.open('order-1001', {
  currency: 'BRL',
  amount: 59.7,
  shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
  recurrence: {
    immediatePayment: true,
    amount: { recurrenceAmount: 29.9 },
    calendar: { periodicity: 'MONTHLY' },
  },
});
if (order.state === 'open') console.log('QR code:', order.qrCode.plain);`;
