import { useState } from 'preact/hooks';
import type { DeliveryAttempt } from '../../delivery/delivery';
import type { ListedDelivery } from '../../delivery/delivery-log';
import type { CallBodies, ClientCall } from '../call-log';
import { PAGE_LENGTH } from '../lists';
import type { PageSetup } from '../page-state';
import { Control } from './control';
import { callSandbox, useList, usePage } from './page-context';
import { Badge, Card, CopyButton, Countdown, html, Invented, Pager, pretty, time, Unfold } from './parts';

type Referring<Item> = Item & { readonly reference: string | undefined };

const results = ['pending', 'delivered', 'given-up'] as const;

/** All deliveries, the newest first, one line each. */
export function Deliveries() {
  const { texts, state, place, setup } = usePage();
  const [filter, setFilter] = useState({ search: '', kind: '', result: '' });
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const none =
    state.webhookUrl === undefined ? `${texts.noDeliveries} ${texts.noListener}` : texts.noDeliveries;
  const set = (name: keyof typeof filter) => (event: Event) =>
    setFilter({ ...filter, [name]: (event.currentTarget as HTMLInputElement).value });
  const choice = (
    name: 'kind' | 'result',
    any: string,
    options: readonly (readonly [value: string, text: string])[],
  ) => html`<select aria-label=${texts[name]} value=${filter[name]} onChange=${set(name)}>
    <option value="">${any}</option>
    ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
  </select>`;
  const head = html`<div class="filters">
    <input type="search" aria-label=${texts.searchDeliveries} placeholder=${texts.searchDeliveries} value=${filter.search} onInput=${set('search')} />
    ${choice(
      'kind',
      texts.anyKind,
      Object.entries(setup.kinds).map(([kind, text]) => [kind, text[place]]),
    )}
    ${choice(
      'result',
      texts.anyResult,
      results.map((result) => [result, texts[result]]),
    )}
  </div>`;
  const query = String(new URLSearchParams(filter));
  return html`<${NewestFirst}
    title=${texts.deliveries}
    what="deliveries"
    query=${query}
    head=${head}
    none=${isFiltered ? texts.noDeliveryFound : none}
    show=${(delivery: Referring<ListedDelivery>) => html`<${DeliveryLine} key=${delivery.id} delivery=${delivery} />`}
  />`;
}

/** A delivery in one line. Unfolded, it shows its attempts, its body and what can be done with it. */
function DeliveryLine({ delivery }: { delivery: Referring<ListedDelivery> }) {
  const { texts, language, place, setup } = usePage();
  const { kind, status, attempts, about, createdAt } = delivery;
  const last = attempts.at(-1);
  const ending = last && (last.httpStatus === undefined ? texts.noAnswer : `HTTP ${last.httpStatus}`);
  return html`<li>
    <details class="entry">
      <summary>
        <span class="cut"><strong>${setup.kinds[kind][place]}</strong> <span class="hint">${about.join(' · ')}</span></span>
        <span class="cut">${delivery.reference ?? html`<span class="hint">${texts.noSale}</span>`}</span>
        <${Badge} text=${texts[status]} tone=${tones[status]} />
        ${ending !== undefined && html`<span class="hint wide">${ending}</span>`}
        <time class="wide">${time(createdAt, language)}</time>
      </summary>
      <div><${DeliveryEntry} delivery=${delivery} about=${html`<${About} uuid=${delivery.journey} reference=${delivery.reference} />`} /></div>
    </details>
  </li>`;
}

/** All calls of the merchant's client, the newest first. */
export function Calls() {
  const { texts } = usePage();
  const show = (call: Referring<ClientCall>) => html`<li class="call" key=${call.id}>
    <${CallEntry} call=${call} about=${html`<${About} uuid=${call.journey} reference=${call.reference} />`} />
  </li>`;
  return html`<${NewestFirst} title=${texts.calls} what="calls" none=${texts.noCalls} show=${show} />`;
}

function NewestFirst<Item>(props: {
  title: string;
  what: string;
  /** What the list is narrowed to. */
  query?: string;
  head?: unknown;
  none: string;
  show: (item: Item) => unknown;
}) {
  const { state } = usePage();
  const { query = '' } = props;
  const [place, setPlace] = useState({ page: 1, query });
  const page = place.query === query ? place.page : 1;
  const shown = useList<Item>(`${props.what}?page=${page}&${query}`, state.revision);
  const setPage = (next: number) => setPlace({ page: next, query });
  return html`<${Card} title=${props.title}>
    ${props.head}
    ${shown?.total === 0 && html`<p class="hint">${props.none}</p>`}
    <ol class=${props.what === 'calls' ? 'line' : ''}>${shown?.items.map(props.show)}</ol>
    ${shown && html`<${Pager} page=${page} total=${shown.total} length=${PAGE_LENGTH} onPage=${setPage} />`}
  </${Card}>`;
}

/** Which sale an entry outside its story is about. */
function About({ uuid, reference }: { uuid: string | undefined; reference: string | undefined }) {
  const { texts } = usePage();
  if (uuid === undefined || reference === undefined) return html`<span class="hint">${texts.noSale}</span>`;
  return html`<a class="about" href=${`#sales/${uuid}`}>${reference}</a>`;
}

/** A call, with hints that the real service would not give. */
export function CallEntry({ call, about }: { call: ClientCall; about?: unknown }) {
  const { texts, language, place, setup } = usePage();
  const { id, at, method, path, operation, status, fault, durationMs, invention, advice } = call;
  const isRight = status !== undefined && status < 400;
  const load = async (side: keyof CallBodies) => {
    const bodies = (await callSandbox('GET', `/sandbox/page/calls/${id}`)) as CallBodies;
    return pretty(bodies[side]) || texts.nothing;
  };
  return html`<div role="group" aria-label=${operation}>
    <p class="first">
      <strong>${setup.operations[operation][place]}</strong>
      <${Badge} text=${status === undefined ? texts.ended : `HTTP ${status}`} tone=${isRight ? 'good' : 'bad'} />
      ${about}
      <time>${time(at, language)}</time>
    </p>
    <p class="hint"><code>${method} ${path}</code> · ${durationMs}\u00a0ms${fault === undefined ? '' : ` · ${texts.fault}: ${texts[fault]}`}</p>
    ${invention !== undefined && html`<${Invented} row=${invention} />`}
    ${
      advice.length > 0 &&
      html`<div class="advice">
        <p><strong>${texts.advice}</strong></p>
        <ul>${advice.map(({ path, text }) => html`<li key=${path}><code>${path}</code>: ${text[language]}</li>`)}</ul>
      </div>`
    }
    <div class="unfolds">
      ${method !== 'GET' && html`<${Unfold} label=${texts.requestBody} load=${() => load('request')} />`}
      <${Unfold} label=${texts.answerBody} load=${() => load('answer')} />
    </div>
  </div>`;
}

const tones = { pending: 'open', delivered: 'good', 'given-up': 'bad' } as const;

/** A notification with its attempts. */
export function DeliveryEntry({ delivery, about }: { delivery: ListedDelivery; about?: unknown }) {
  const { texts, language, place, setup } = usePage();
  const { id, kind, status, attempts, answers, nextAttemptAt, createdAt } = delivery;
  const body = () => callSandbox('GET', `/sandbox/page/deliveries/${id}`) as Promise<object>;
  return html`<div role="group" aria-label=${`${kind} ${id}`}>
    <p class="first">
      <strong>${setup.kinds[kind][place]}</strong>
      <${Badge} text=${texts[status]} tone=${tones[status]} />
      ${nextAttemptAt !== undefined && html`<${Countdown} at=${nextAttemptAt} />`}
      ${about}
      <time>${time(createdAt, language)}</time>
    </p>
    <ol class="attempts">
      ${attempts.map((attempt) => html`<${Attempt} key=${attempt.number} attempt=${attempt} answer=${answers[attempt.number]} />`)}
    </ol>
    <${Unfold} label=${texts.request} load=${async () => requestOf(delivery.url, await body())} />
    <div class="actions">
      <${Control} name="resend" id=${id} what=${id} kind="quiet" />
      <${CopyButton} text=${async () => curlOf(delivery.url, await body(), setup.defaultCredentials)} what=${id} label=${texts.curl} />
    </div>
  </div>`;
}

function Attempt({ attempt, answer }: { attempt: DeliveryAttempt; answer: string | undefined }) {
  const { texts, language } = usePage();
  const { number, manual, startedAt, durationMs, httpStatus, error } = attempt;
  const ending = httpStatus === undefined ? `${texts.noAnswer}: ${error}` : `HTTP ${httpStatus}`;
  return html`<li>
    <span>${manual ? texts.manual : `${texts.attempt} ${number}`}</span>
    <${Badge} text=${ending} tone=${httpStatus === 200 ? 'good' : 'bad'} />
    <span class="hint">${time(startedAt, language)} · ${durationMs}\u00a0ms</span>
    ${answer !== undefined && html`<code class="answer">${answer}</code>`}
  </li>`;
}

/** The request as it went out, with its credentials masked. */
function requestOf(target: string, body: object): string {
  const { host, pathname, search } = new URL(target);
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Authorization: Basic ***',
    'Content-Type: application/json',
    '',
    JSON.stringify(body, undefined, 2),
  ].join('\n');
}

/** The same request as a `curl` command. It names only the default pair, which is no secret. */
function curlOf(target: string, body: object, credentials: PageSetup['defaultCredentials']): string {
  const user =
    credentials === undefined
      ? '"$PAYMENTS_API_KEY:$PAYMENTS_API_TOKEN"'
      : quote(`${credentials.apiKey}:${credentials.apiToken}`);
  const data = quote(JSON.stringify(body));
  return `curl -X POST ${quote(target)} -u ${user} -H 'content-type: application/json' --data-raw ${data}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
