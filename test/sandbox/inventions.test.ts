import { type Inventions, inventionTable, sequentialIds } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { resolveInventions } from '../../src/sandbox/inventions';
import type { SandboxNotification } from '../../src/sandbox/model/records';
import { ServiceModel } from '../../src/sandbox/model/service-model';
import { payoutErrorMeanings } from '../../src/service/notifications/payout';
import { sections } from '../docs/markdown';
import { credentials, headers, order } from './helpers';
import { fields, events as recurrenceEvents } from './recurrence/facts';

describe('the table of inventions', () => {
  it.each(Object.entries(inventionTable))(
    'says what %s invents and why, in a short sentence of both languages',
    (_row, { inventedBySandbox, section, about }) => {
      expect(inventedBySandbox).toBe(true);
      expect(section).toMatch(/^\d(\.\d)?$/);
      const [english, portuguese] = about;
      expect(english).toMatch(/^[A-Z][^§]*, because [^§]+\.$/);
      expect(portuguese).toMatch(/^[A-Z][^§]*, porque [^§]+\.$/);
      for (const sentence of about) expect(sentence.length).toBeLessThan(160);
    },
  );

  it('is in the guide: each row once, and its value, or the status of its answer, where one is given', () => {
    const section = sections('docs/sandbox.md').find(({ heading }) => heading.endsWith('made up'));
    const cells = section?.tables[0]?.slice(1).map(([, cell = '']) => cell) ?? [];
    const spans = [...cells.join(' ').matchAll(/`(?!body-status|data:|maxAge)(\w+)(?:: ([^`]+))?`/g)];
    const named = spans.map(([, row = '']) => row);
    expect(named.sort()).toEqual(Object.keys(inventionTable).sort());
    const isWrong = ([, row, given]: readonly string[]) => {
      const { value } = inventionTable[row as keyof Inventions];
      const shown = typeof value === 'object' && 'httpStatus' in value ? value.httpStatus : value;
      return given !== undefined && given !== JSON.stringify(shown);
    };
    expect(spans.filter(isWrong)).toEqual([]);
  });

  it('changes only the rows that are given', () => {
    const changed = resolveInventions({ scheduledPayments: 1 });
    expect(changed).toEqual({ ...resolveInventions(), scheduledPayments: 1 });
    expect(resolveInventions().scheduledPayments).toBe(3);
  });
});

/** Each row in a value of its own: a text says "row", a number has .25 and is above 100. */
const marked: Inventions = {
  ...resolveInventions(),
  ...Object.fromEntries(
    Object.entries(inventionTable).flatMap(([row, { value }]) =>
      typeof value === 'object' && 'httpStatus' in value
        ? [[row, { ...value, status: 100.25, message: 'row' }]]
        : [],
    ),
  ),
  saleCodePrefix: 'row',
  shipping: 101.25,
  discounts: 102.25,
  appliedRate: 103.25,
  serviceFee: 104.25,
  payerAccount: { bank: 'row', branch: 'row', account: 'row' },
  instructions: { name: 'row', label: 'row', steps: ['row'] },
  qrCodeMerchant: { name: 'row', city: 'row', host: 'row.invalid' },
  defaultReasons: { refund: 'row', reversal: 'row' },
  receiptPrefix: 'row',
  failedPayoutStatus: 'FAILED',
  failedPayoutQuery: 'row',
  failedPayoutMessage: 'row',
  recurrencePlan: { id: 'row', description: 'row' },
  dueTime: 'row',
  rejectionReason: 'row',
  payerIspb: 'row',
};

/** Everything that the model answers and sends in a session with each operation and each move. */
function everything(): object[] {
  const sent: SandboxNotification[] = [];
  const model = new ServiceModel({
    credentials,
    baseUrl: 'https://given.example',
    inventions: { ...marked, saleReversalNotification: true, recurrenceEvents: 'both' },
    now: () => Date.UTC(2031, 0, 1),
    ids: sequentialIds(),
    notify: (notification) => sent.push(notification) > 0,
  });
  const answers: object[] = [];
  const ask = (method: string, path: string, body: object | string = '') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    answers.push(
      JSON.parse(String(model.handle({ method, path: `/v1.1${path}`, headers, body: text }).body)),
    );
  };
  const { controls } = model;
  for (const amount of [59.7, 80]) ask('POST', '/checkout/pix-automatic', { ...order, amount });
  const [uuid = '', other = ''] = controls.transactions.map((journey) => journey.uuid);
  const [payment] = controls.pay(uuid).map(({ instructionId }) => instructionId);
  ask('PUT', `/pix-automatic/scheduled-payments/${payment}/cancel`, { reason: 'given' });
  ask('PUT', `/pix-automatic/scheduled-payments/${payment}/cancel`, { reason: 'given' });
  ask('PUT', '/pix-automatic/scheduled-payments/nope/cancel', { reason: 'given' });
  const [{ idRec } = { idRec: '' }] = controls.transactions.map(({ recurrence }) => recurrence);
  const authorization = `/pix-automatic/authorizations/${idRec}`;
  controls.charge(uuid, { fails: 'AM04', willRetry: true });
  controls.charge(uuid);
  ask('GET', authorization);
  ask('GET', '/pix-automatic/scheduled-payments');
  ask('GET', '/pix-automatic/scheduled-payments?page=x');
  for (const _ of [1, 2]) ask('PUT', `${authorization}/cancel`, { reason: 'given' });
  ask('PUT', `${authorization}/cancel`, {});
  ask('GET', '/pix-automatic/authorizations/nope');
  controls.rejectRecurrence(other);
  controls.refund(uuid, { amount: 10 });
  controls.reverse(uuid, { amount: 20, complete: true });
  controls.reverse(uuid, { amount: 20, cancel: true });
  ask('GET', `/transactions/${uuid}`);
  controls.cancelTransaction(other);
  for (const path of [`/transactions/${other}`, '/transactions/nope', '/nope']) ask('GET', path);
  ask('POST', '/checkout/pix-automatic', '{}');
  controls.payOut({ amount: 30 });
  controls.payOut({ amount: 30, fail: 'PE0001' });
  controls.payOut({ amount: 30, fail: 'PE0003', reason: 'given' });
  return [...answers, ...sent.map(({ payload }) => JSON.parse(JSON.stringify(payload)))];
}

/** What the document shows, beside what a call or a move was given. */
const documented = [
  ...['success', 'PAID', 'PENDING', 'CANCELLED', 'FAILED', 'REVERSAL', 'SALE', 'PIX_RECURRENCE'],
  ...Object.entries(payoutErrorMeanings).flat(),
];
/** What the service's public pages show. */
const ofThePages = [
  ...Object.entries(recurrenceEvents).flat(),
  ...fields.flatMap(({ values }) => values),
  // Errors of calls.
  ...['page', 'expected a whole number from 0', 'reason', 'reason required, a string'],
];
/** Numbers and counts of scheduled payments, and of their pages. */
const counted = [1, 2, 3];
const given = [
  ...leaves(order).map(([, value]) => value),
  'Ana',
  'Maria de Souza',
  'given',
  59.7,
  80,
  29.9,
  10,
  20,
  30,
];
/** The total, what is left of 59.7 after 10 and 20, and how many refunds there are. */
const computed = [59.7, 80, 29.9]
  .map((amount) => amount + marked.shipping - marked.discounts)
  .concat(29.7, 1);

function leaves(value: unknown, path = ''): [path: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, `${path}.${name}`));
}

/** Whether a value comes from the document, the caller, the clock, the ids, a sum, or a row of the table. */
function isAccountedFor(value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === 0) return true;
  if (typeof value === 'number')
    return (
      value > 1_000_000 ||
      (value > 100 && value % 1 === 0.25) ||
      [...given, ...computed, ...counted].includes(value)
    );
  if ([...documented, ...ofThePages].includes(String(value)) || given.includes(value)) return true;
  return /row|^iVBOR|^https:\/\/given|^00000000-|^20\d\d-\d\d-\d\d|^RR\d{27}$|^E\d{31}$/.test(String(value));
}

it('nothing that the sandbox answers or sends is invented outside its table', () => {
  const all = everything().flatMap((one) => leaves(one));
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter(([, value]) => !isAccountedFor(value))).toEqual([]);
});
