import { filled } from '../../../shared/filled';
import type { DeliveryAttempt } from '../../delivery/delivery';
import type { ListedDelivery } from '../../delivery/delivery-log';
import type { CallBodies, ClientCall } from '../call-log';
import { PAGE_LENGTH } from '../lists';
import type { PageSetup } from '../page-state';
import { Control } from './form';
import { callSandbox, useList, usePage, useView } from './page-context';
import {
  Badge,
  Card,
  type Choices,
  CopyButton,
  Countdown,
  duration,
  Filters,
  html,
  Invented,
  Pager,
  pretty,
  rich,
  time,
  Unfold,
  Waiting,
} from './parts';

type Referring<Item> = Item & { readonly reference: string | undefined };

const results = ['not-sent', 'pending', 'delivered', 'given-up'] as const;

/** All deliveries, the newest first. */
export function Deliveries() {
  const { texts, state, place, setup } = usePage();
  const none =
    state.webhookUrl === undefined
      ? html`${texts.noListener} <a href="#listener">${texts.setListener}</a>`
      : texts.noDeliveries;
  return html`<${NewestFirst}
    title=${texts.deliveries}
    name="deliveries"
    search=${texts.searchDeliveries}
    choices=${{
      kind: [
        texts.kind,
        [['', texts.anyKind], ...Object.entries(setup.kinds).map(([kind, text]) => [kind, text[place]])],
      ],
      result: [texts.result, [['', texts.anyResult], ...results.map((result) => [result, texts[result]])]],
    }}
    none=${none}
    nothingFound=${texts.noDeliveryFound}
    show=${(delivery: Referring<ListedDelivery>) => html`<li key=${delivery.id}>
      <details class="entry" aria-label=${`${delivery.kind} ${delivery.id}`}>
        <summary><${DeliveryLine} delivery=${delivery} /></summary>
        <div><${About} uuid=${delivery.journey} reference=${delivery.reference} /><${DeliveryBody} delivery=${delivery} /></div>
      </details>
    </li>`}
  />`;
}

/** All calls of the merchant's client, the newest first. */
export function Calls() {
  const { texts, place, setup } = usePage();
  const operations = Object.entries(setup.operations).map(([operation, text]) => [operation, text[place]]);
  return html`<${NewestFirst}
    title=${texts.calls}
    name="calls"
    search=${texts.search}
    choices=${{
      operation: [texts.operation, [['', texts.anyOperation], ...operations]],
      result: [
        texts.result,
        [
          ['', texts.anyResult],
          ['failed', texts.failedCalls],
          ['unknown-fields', texts.advice],
        ],
      ],
    }}
    none=${texts.noCalls}
    nothingFound=${texts.noCallFound}
    show=${(call: Referring<ClientCall>) => html`<li key=${call.id}>
      <details class="entry" aria-label=${call.operation}>
        <summary><${CallLine} call=${call} /></summary>
        <div><${About} uuid=${call.journey} reference=${call.reference} /><${CallBody} call=${call} /></div>
      </details>
    </li>`}
  />`;
}

function NewestFirst<Item extends { readonly id: string | number }>(props: {
  title: string;
  name: string;
  search: string;
  choices: Choices;
  none: unknown;
  nothingFound: string;
  show: (item: Item) => unknown;
}) {
  const { state } = usePage();
  const { title, name, search, choices, none, nothingFound, show } = props;
  const view = useView(name);
  const { shown, hold } = useList<Item>(view.what, state.revision, ({ id }) => id);
  return html`<${Card} title=${title} extra=${html`<${Waiting} count=${shown?.waiting} />`}>
    <${Filters} search=${search} choices=${choices} values=${view.values} onChange=${view.narrow} />
    ${shown?.total === 0 && html`<p class="hint">${view.isFiltered ? nothingFound : none}</p>`}
    <ol ...${hold}>${shown?.items.map(show)}</ol>
    ${shown && html`<${Pager} page=${view.page} total=${shown.total} length=${PAGE_LENGTH} onPage=${view.turn} />`}
  </${Card}>`;
}

/** The way from an entry to its sale. */
function About({ uuid, reference }: { uuid: string | undefined; reference: string | undefined }) {
  const { texts } = usePage();
  if (uuid === undefined || reference === undefined) return null;
  return html`<a class="about" href=${`#sales/${uuid}`}>${texts.openSale} ${reference}</a>`;
}

/** A call in one line. In the story of its sale, it says nothing of the sale. */
export function CallLine(props: {
  call: ClientCall & { readonly reference?: string | undefined };
  isInStory?: boolean;
}) {
  const { texts, language, place, setup } = usePage();
  const { call, isInStory } = props;
  const { at, operation, status, fault, durationMs, unknownFields, reference } = call;
  const isRight = status !== undefined && status < 400;
  const details = [
    fault && `${texts.fault}: ${texts[fault]}`,
    !isInStory && unknownFields.length > 0 && texts.advice,
    duration(durationMs, language),
  ];
  return html`<strong>${setup.operations[operation][place]}</strong>
    ${!isInStory && html`<span class="cut">${reference ?? html`<span class="hint">${texts.noSale}</span>`}</span>`}
    <${Badge} text=${status === undefined ? texts.ended : `HTTP ${status}`} tone=${isRight ? 'good' : 'bad'} />
    <span class="hint">${details.filter(Boolean).join(' · ')}</span>
    <time>${time(at, language)}</time>`;
}

/** The rest of a call, with hints that the real service would not give. */
export function CallBody({ call }: { call: ClientCall }) {
  const { texts } = usePage();
  const { id, method, path, invention, unknownFields } = call;
  const load = async (side: keyof CallBodies) => {
    const bodies = (await callSandbox('GET', `/sandbox/page/calls/${id}`)) as CallBodies;
    return pretty(bodies[side]) || texts.nothing;
  };
  return html`
    <p class="hint"><code>${method} ${path}</code></p>
    ${invention !== undefined && html`<${Invented} row=${invention} />`}
    ${
      unknownFields.length > 0 &&
      html`<p class="advice">
        <strong>${texts.advice}:</strong> ${unknownFields.map((field, index) => html`${index > 0 && ', '}<code key=${field}>${field}</code>`)}. ${texts.unknownField}
      </p>`
    }
    <div class="actions">
      ${method !== 'GET' && html`<${Unfold} label=${texts.requestBody} load=${() => load('request')} />`}
      <${Unfold} label=${texts.answerBody} load=${() => load('answer')} />
    </div>`;
}

/** A delivery in one line. */
export function DeliveryLine(props: {
  delivery: ListedDelivery & { readonly reference?: string | undefined };
  isInStory?: boolean;
}) {
  const { texts, language, place, setup } = usePage();
  const { delivery, isInStory } = props;
  const { kind, status, attempts, about, nextAttemptAt, createdAt, reference } = delivery;
  const last = attempts.at(-1);
  const ending = last && (last.httpStatus === undefined ? texts.noAnswer : `HTTP ${last.httpStatus}`);
  const isUnderWay = status === 'pending' && nextAttemptAt === undefined;
  const tone = isUnderWay
    ? 'calm'
    : ({ 'not-sent': 'open', pending: 'open', delivered: 'good', 'given-up': 'bad' } as const)[status];
  const kindText = setup.kinds[kind][place];
  // In a story, an event of the recurrence is its own name.
  const isNamed = isInStory && kind === 'recurrence';
  const named = filled(texts.notification, { kind: isNamed ? (about[0] ?? kindText) : kindText });
  return html`<strong>${isInStory ? named : kindText} <span class="hint">${isNamed ? '' : about.join(' · ')}</span></strong>
    ${!isInStory && html`<span class="cut">${reference ?? html`<span class="hint">${texts.noSale}</span>`}</span>`}
    <${Badge} text=${isUnderWay ? texts.underWay : texts[status]} tone=${tone} />
    ${!isInStory && html`<span class="hint">${nextAttemptAt === undefined ? ending : html`<${Countdown} at=${nextAttemptAt} />`}</span>`}
    <time>${time(createdAt, language)}</time>`;
}

/** What the listener answered to each attempt, and what was sent. */
export function DeliveryBody({ delivery }: { delivery: ListedDelivery }) {
  const { texts, state, setup } = usePage();
  const { id, url, attempts, answers, nextAttemptAt } = delivery;
  const body = () => callSandbox('GET', `/sandbox/page/deliveries/${id}`) as Promise<object>;
  if (delivery.status === 'not-sent')
    return html`<p class="advice">${texts.notSent}</p>
      <div class="actions">
        ${
          state.webhookUrl === undefined
            ? html`<a href="#listener">${texts.setListener}</a>`
            : html`<${Control} name="resend" id=${id} what=${id} label=${texts.sendNow} />`
        }
      </div>`;
  return html`
    <ol class="attempts">
      ${attempts.map((attempt) => html`<${Attempt} key=${attempt.number} attempt=${attempt} answer=${answers[attempt.number]} url=${url} />`)}
      ${nextAttemptAt !== undefined && html`<li><${Countdown} at=${nextAttemptAt} /></li>`}
    </ol>
    <div class="actions">
      <${Unfold} label=${texts.request} load=${async () => requestOf(url, await body())} />
      <${Control} name="resend" id=${id} what=${id} kind="quiet" />
      <${CopyButton} text=${async () => curlOf(url, await body(), setup.defaultCredentials)} what=${id} label=${texts.curl} />
    </div>`;
}

function Attempt(props: { attempt: DeliveryAttempt; answer: string | undefined; url: string }) {
  const { texts, language } = usePage();
  const { number, manual, startedAt, durationMs, httpStatus, error } = props.attempt;
  const { host, pathname: path } = new URL(props.url);
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: texts.nobodyListens,
    ENOTFOUND: texts.noSuchHost,
    timeout: texts.tooLate,
    404: texts.wrongPath,
    401: texts.wrongPair,
  };
  const reason = reasons[httpStatus ?? error ?? ''];
  return html`<li>
    <span>${manual ? texts.manual : `${texts.attempt} ${number}`}</span>
    <${Badge} text=${httpStatus === undefined ? `${texts.noAnswer}: ${error}` : `HTTP ${httpStatus}`} tone=${httpStatus === 200 ? 'good' : 'bad'} />
    <span class="hint">${time(startedAt, language)} · ${duration(durationMs, language)}</span>
    ${props.answer !== undefined && html`<code class="answer">${props.answer}</code>`}
    ${reason !== undefined && html`<p class="reason">${rich(filled(reason, { host, path }))}</p>`}
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
