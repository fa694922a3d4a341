import { useState } from 'preact/hooks';
import { PAGE_LENGTH, statusOf } from '../lists';
import type { ListedJourney } from '../page-state';
import { Control } from './control';
import { useList, usePage } from './page-context';
import { dayAndTime, html, money, Pager, Settings, Snippet, StateBadge } from './parts';
import { Story } from './story';

const states = ['', 'PENDING', 'AUTHORIZED', 'PAID', 'CANCELLED'] as const;

/** The sales: the list on one side, the story of the open one on the other. On a phone, one at a time. */
export function Sales({ open, go }: { open: string; go: (hash: string) => void }) {
  const { texts, state } = usePage();
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState('');
  const [page, setPage] = useState(1);
  const query = new URLSearchParams({ search, state: filter, page: String(page) });
  const shown = useList<ListedJourney>(`journeys?${query}`, state.revision);
  const isEmpty = shown?.total === 0 && search === '' && filter === '';
  const onCreated = (answer: object) => go(`sales/${(answer as { uuid: string }).uuid}`);
  if (shown && isEmpty && open === '') return html`<${Empty} onCreated=${onCreated} />`;
  // On a wide screen the newest sale is open until another is chosen; on a phone the list comes first.
  const isWide = matchMedia('(min-width: 900px)').matches;
  const openUuid = open || (isWide ? (shown?.items[0]?.uuid ?? '') : '');
  const set = (change: () => void) => {
    change();
    setPage(1);
  };
  return html`<div class=${open === '' ? 'sales' : 'sales has-open'}>
    <div class="list">
      <h2 class="for-readers">${texts.sales}</h2>
      <${Control} name="create" onDone=${onCreated} />
      <input
        type="search"
        aria-label=${texts.search}
        placeholder=${texts.search}
        value=${search}
        onInput=${(event: Event) => set(() => setSearch((event.currentTarget as HTMLInputElement).value))}
      />
      <div class="chips" role="group" aria-label=${texts.state}>
        ${states.map(
          (name) => html`<button
            type="button"
            key=${name}
            aria-pressed=${String(name === filter)}
            onClick=${() => set(() => setFilter(name))}
          >${name === '' ? texts.all : texts[name]}</button>`,
        )}
      </div>
      ${shown?.total === 0 && html`<p class="hint">${texts.nothingFound}</p>`}
      <ul class="items">
        ${shown?.items.map((journey) => html`<${Item} key=${journey.uuid} journey=${journey} isOpen=${journey.uuid === openUuid} />`)}
      </ul>
      ${shown && html`<${Pager} page=${page} total=${shown.total} length=${PAGE_LENGTH} onPage=${setPage} />`}
    </div>
    ${openUuid !== '' && html`<${Story} key=${openUuid} uuid=${openUuid} isChosen=${open !== ''} />`}
  </div>`;
}

function Item({ journey, isOpen }: { journey: ListedJourney; isOpen: boolean }) {
  const { language } = usePage();
  const { uuid, referenceCode, amount, currency, createdAt } = journey;
  return html`<li>
    <a href=${`#sales/${uuid}`} aria-current=${isOpen ? 'true' : undefined}>
      <strong>${referenceCode}</strong>
      <span class="sum">${money(amount, currency, language)}</span>
      <span class="hint">${dayAndTime(createdAt, language)}</span>
      <${StateBadge} state=${statusOf(journey)} />
    </a>
  </li>`;
}

/** Before the first journey: how to create one, here or in code. */
function Empty({ onCreated }: { onCreated: (answer: object) => void }) {
  const { texts } = usePage();
  return html`<div class="empty card">
    <h2>${texts.emptyTitle}</h2>
    <p>${texts.emptyText}</p>
    <${Control} name="create" kind="main" isOpen=${true} onDone=${onCreated} />
    <h3>${texts.emptyCode}</h3>
    <${Settings} />
    <${Snippet} text=${snippet} what=${texts.emptyCode} />
  </div>`;
}

const snippet = `import { PaymentsClient } from 'pix-automatic-sdk';

const client = PaymentsClient.fromEnv();
const { response } = await client.createRecurringCheckout({
  currency: 'BRL',
  referenceCode: 'order-1001',
  amount: 59.7,
  shopper: { id: 'shopper-7', name: 'Ana de Souza', email: 'ana@example.com' },
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
});
console.log(response.instructions.qrCode.plain);`;
