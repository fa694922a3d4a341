import { useState } from 'preact/hooks';
import { type OperationName, operationNames } from '../../../service/operations';
import type { Fault, FaultKind, PendingFault } from '../../faults';
import type { VerifyReport, VerifyResult } from '../page-state';
import { Control, Form, type FormField } from './form';
import { usePage } from './page-context';
import { Badge, Card, html, rich, Settings } from './parts';
import type { Texts } from './texts';

/** What goes wrong, and notifications that belong to no sale. */
export function Simulate() {
  const { texts, state } = usePage();
  const link =
    state.webhookUrl === undefined
      ? { href: '#listener', text: texts.notSent }
      : { href: '#deliveries', text: texts.seeDelivery };
  return html`<div class="columns">
    <div><${Faults} /></div>
    <div>
      <${Card} title=${texts.own}><${Control} name="notify" isOpen=${true} link=${link} /></${Card}>
      <${Card} title=${texts.payouts}><${Control} name="pay-out" isOpen=${true} link=${link} /></${Card}>
    </div>
  </div>`;
}

/** In place of `Infinity`, which JSON does not have: more calls than anybody makes. */
const EVERY_CALL = 1_000_000_000;

function Faults() {
  const { texts, place, setup, state, act, tell } = usePage();
  const [cleared, setCleared] = useState<readonly PendingFault[]>([]);
  const arm = ({ operation, fault, left }: Pick<PendingFault, 'operation' | 'fault' | 'left'>) => {
    const body = { operation, fault: { ...fault, times: left ?? EVERY_CALL } };
    return act('POST', '/sandbox/faults', body, { text: `${texts.arm}: ${texts.done}` });
  };
  const send = async ({ operation, times, kind, ...values }: Readonly<Record<string, unknown>>) => {
    const numbers = Object.entries(values).map(([name, value]) => [
      name,
      value === true ? true : Number(value),
    ]);
    const fault = { kind, ...Object.fromEntries(numbers) } as Fault;
    return (await arm({ operation: operation as OperationName, fault, left: Number(times) })).problem;
  };
  /** Removes one, or all. */
  const remove = async (gone?: PendingFault) => {
    const done = { text: `${gone === undefined ? clearAll : texts.remove}: ${texts.done}` };
    const { problem } = await act('DELETE', '/sandbox/faults', gone ? { id: gone.id } : {}, done);
    if (problem !== undefined) return tell({ text: problem, isProblem: true });
    setCleared(gone === undefined ? state.faults : [gone]);
  };
  const putBack = async () => {
    setCleared([]);
    for (const one of cleared) await arm(one);
  };
  const clearAll = setup.controls.find(({ name }) => name === 'clear-faults')?.label[place];
  const remaining = ({ left }: PendingFault) =>
    left === null || left > EVERY_CALL / 2 ? texts.everyCall : left === 1 ? texts.nextCall : `${left} ×`;
  const operations = operationNames.map((name) => [name, setup.operations[name][place]] as const);
  const kinds = setup.faultKinds.map((name) => [name, texts[name]] as const);
  const often = [
    ['1', texts.nextCall],
    [String(EVERY_CALL), texts.everyCall],
  ] as const;
  return html`<${Card} title=${texts.faults}>
    ${
      state.faults.length > 0 &&
      html`<ul class="payments faults">${state.faults.map(
        (pending) => html`<li key=${pending.id}>
          <${Badge} text=${remaining(pending)} tone="open" />
          <span>${setup.operations[pending.operation][place]}: ${texts[pending.fault.kind]}${detailOf(pending.fault)}</span>
          <button type="button" class="quiet" onClick=${() => remove(pending)} aria-label=${`${texts.remove}: ${pending.id}`}>${texts.remove}</button>
        </li>`,
      )}</ul>
      <button type="button" data-control="clear-faults" onClick=${() => remove()}>${clearAll}</button>`
    }
    ${cleared.length > 0 && html`<button type="button" onClick=${putBack}>${texts.putBack}</button>`}
    <${Form}
      name="set-fault"
      about=${texts.faultsHint}
      fields=${({ kind = 'status' }: Readonly<Record<string, string>>) => ({
        operation: choice(texts.operation, operations),
        kind: choice(texts.whatGoesWrong, kinds, 'status'),
        ...detailsFor(kind as FaultKind['kind'], texts),
        times: { ...choice(texts.howOften, often), input: 'radio' },
      })}
      button=${texts.arm}
      send=${send}
    />
  </${Card}>`;
}

function choice(label: string, words: readonly (readonly [string, string])[], value?: string): FormField {
  return { label, input: 'choice', words: Object.fromEntries(words), ...(value !== undefined && { value }) };
}

/** What a kind of fault has to be told: a status or a delay. */
function detailsFor(kind: FaultKind['kind'], texts: Texts): Record<string, FormField> {
  if (kind === 'status')
    return {
      status: { label: texts.httpStatus, input: 'integer', value: '503', least: 200, most: 599 },
      takesEffect: { label: texts.takesEffect, input: 'flag', isOptional: true },
    };
  if (kind === 'body-status' || kind === 'wrong-pair') {
    const [byDefault = '', other = ''] = kind === 'body-status' ? ['999', '-1'] : ['403', '401'];
    const words = [byDefault, other].map((status) => [status, status] as const);
    return { status: { ...choice(texts[kind], words, byDefault), input: 'radio' } };
  }
  if (kind !== 'latency' && kind !== 'close-after-answer') return {};
  return { ms: { label: texts.delay, input: 'integer', value: kind === 'latency' ? '3000' : '5' } };
}

function detailOf(fault: Fault): string {
  if ('status' in fault) return ` ${fault.status}`;
  return 'ms' in fault ? ` ${fault.ms} ms` : '';
}

/** The field for the listener's URL. */
export function ListenerForm({ about }: { about?: string }) {
  const { texts, state, act } = usePage();
  const field = {
    label: texts.listenerUrl,
    input: 'url',
    isOptional: true,
    value: state.webhookUrl ?? '',
  } as const;
  const send = async (values: object) =>
    (await act('PUT', '/sandbox/webhook-url', values, { text: texts.saved })).problem;
  return html`<${Form}
    name="set-listener"
    about=${about}
    fields=${() => ({ webhookUrl: { ...field, placeholder: 'http://127.0.0.1:3000/webhooks' } })}
    button=${texts.save}
    send=${send}
  />`;
}

/** Where notifications go, the check of the listener, and the settings of a client. */
export function ListenerTab() {
  const { texts, state, setup } = usePage();
  return html`<div class="columns">
    <div>
      <${Card} title=${texts.yourListener}><${ListenerForm} about=${texts.listenerHint} /></${Card}>
      <${Card} title=${texts.connection}><p class="hint">${rich(texts.connectionHint)}</p><${Settings} /></${Card}>
    </div>
    ${setup.canVerify && html`<div><${Check} url=${state.webhookUrl ?? ''} /></div>`}
  </div>`;
}

const tones = { failed: 'bad', passed: 'good', 'not-checked': 'open' } as const;

/** Many that are alike are told by the first ones. */
const MOST_SENT = 4;

/** Runs the checklist against the listener. What failed comes first; what could not be checked is one line. */
function Check({ url }: { url: string }) {
  const { texts, act } = usePage();
  const [report, setReport] = useState<VerifyReport>();
  const send = async (values: object) => {
    setReport(undefined);
    const { answer, problem } = await act<VerifyReport>('POST', '/sandbox/verify', { url, ...values });
    setReport(answer);
    return problem;
  };
  const checks = (verdict: VerifyResult['verdict']) =>
    report?.checks.filter((check) => check.verdict === verdict) ?? [];
  const count = (verdict: VerifyResult['verdict']) => {
    const { length } = checks(verdict);
    return html`<strong>${length}</strong> ${length === 1 ? texts[verdict] : texts[`${verdict}Many`]}`;
  };
  const named = (name: string, text: string | undefined) =>
    text !== undefined && html`<p class="reason"><strong>${name}:</strong> ${rich(text)}</p>`;
  const line = ({
    id,
    title,
    verdict,
    sent,
    problems,
    warning,
    hint,
    follows,
  }: VerifyResult) => html`<li key=${id}>
    <${Badge} text=${texts[verdict]} tone=${tones[verdict]} /> <span>${rich(title)}</span>
    ${verdict === 'failed' && [...new Set(sent)].slice(0, MOST_SENT).map((text) => html`<p class="reason hint">→ ${text}</p>`)}
    ${problems.map((text) => html`<p class="reason">${rich(text)}</p>`)}
    ${warning !== undefined && html`<p class="reason">${rich(warning)}</p>`}
    ${named(texts.verifyUsually, hint)}
    ${follows && html`<p class="reason hint">${texts.verifyFollows}</p>`}
  </li>`;
  const open = checks('not-checked');
  return html`<${Card} title=${texts.check}>
    ${
      url === ''
        ? html`<p class="hint">${texts.checkNeedsUrl}</p>`
        : html`<${Form}
            name="verify"
            about=${texts.checkHint}
            fields=${() => ({ effects: { label: texts.effectsUrl, input: 'url', isOptional: true, placeholder: 'http://127.0.0.1:3001' } })}
            button=${texts.verify}
            send=${send}
          />
          <p class="hint">${rich(texts.effectsHint)}</p>`
    }
    ${
      report !== undefined &&
      html`<p class="result" role="status">${count('failed')}, ${count('passed')}, ${count('not-checked')}</p>
        ${report.ended !== undefined && html`<p class="advice">${texts.verifyEnded}: ${rich(report.ended)}</p>`}
        <ul class="payments checks">${[...checks('failed'), ...checks('passed')].map(line)}</ul>
        ${
          open.length > 0 &&
          html`<details>
            <summary>${open.length} ${open.length === 1 ? texts['not-checked'] : texts['not-checkedMany']}</summary>
            ${[...new Set(open.flatMap((one) => one.open))].map((text) => html`<p class="hint">${rich(text)}</p>`)}
            <ul class="payments checks">${open.map(line)}</ul>
          </details>`
        }
        ${
          report.notSeen.length > 0 &&
          html`<details>
            <summary>${texts.verifyNotSeen}</summary>
            ${report.notSeen.map((text) => html`<p class="hint">${rich(text)}</p>`)}
          </details>`
        }`
    }
  </${Card}>`;
}
