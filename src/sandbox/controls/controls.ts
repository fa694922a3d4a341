import * as z from 'zod/mini';
import { documentedKinds } from '../../service/notifications';
import type { PayoutErrorCode } from '../../service/notifications/payout';
import { operationNames } from '../../service/operations';
import { panelContextOf } from '../delivery/listener-url';
import { faultSchema } from '../faults';
import type { SandboxNotification } from '../model/records';
import { type ScenarioName, scenarioNames } from '../scenarios';
import type { Text } from '../text';
import { amountField, type Control, choiceField, control, flagField, textField } from './control';

// To add a control, add an object here. Its route, `curl`, command, form and documentation follow from it.

const amount = amountField(['Amount (default: all that is left)', 'Valor (padrão: tudo o que resta)']);
const reason = textField(['Reason', 'Motivo']);
const text = z.optional(z.string());

/** A listener has a URL for each context of the merchant panel, or one for all. */
const urls = Object.fromEntries(documentedKinds.map(({ kind }) => [panelContextOf(kind), text] as const));
const webhookUrl = z.union([z.string(), z.strictObject(urls)], {
  error: `expected a URL, or an object with URLs for ${Object.keys(urls).join(', ')}`,
});

/** What the controls of one scheduled payment share. */
const scheduledPayment = {
  subject: 'scheduled-payment',
  data: (scheduledPayment: object) => ({ scheduledPayment }),
  done: [
    'Scheduled payment {uuid}, due {dueDate}: {amount}, {status}',
    'Pagamento agendado {uuid}, vence {dueDate}: {amount}, {status}',
  ],
} as const;

/** What the controls of one reversal share. */
const reversal = {
  subject: 'reversal',
  data: (reversal: object) => ({ reversal }),
  done: ['Reversal {uuid}: {amount}, {status}', 'Estorno {uuid}: {amount}, {status}'],
} as const;

const operation = {
  ...textField(['Operation', 'Operação']),
  schema: z.optional(z.enum(operationNames)),
  input: 'choice',
  choices: operationNames,
} as const;

const scenarioTexts: Readonly<Record<ScenarioName, Text>> = {
  'happy-year': ['A good year: twelve payments', 'Um bom ano: doze pagamentos'],
  'no-funds-three-times': ['No funds three times, then paid', 'Sem saldo três vezes, depois pago'],
  'payer-cancels': ['The payer cancels', 'O pagador cancela'],
};

const payoutFailures: Readonly<Record<PayoutErrorCode, Text>> = {
  PE0001: ['PE0001: bank details not valid', 'PE0001: dados bancários inválidos'],
  PE0002: ['PE0002: holder and document differ', 'PE0002: titular e documento diferem'],
  PE0003: ['PE0003: account takes no transfers', 'PE0003: conta não aceita transferências'],
  PE0004: ['PE0004: other reasons', 'PE0004: outros motivos'],
};

/** What people call each kind of notification. */
export const kindTexts: Readonly<Record<SandboxNotification['kind'], Text>> = {
  payment: ['Payment notification', 'Notificação de pagamento'],
  saleStatus: ['Sale status notification', 'Notificação de status da venda'],
  reversal: ['Reversal notification', 'Notificação de estorno'],
  refund: ['Refund notification', 'Notificação de devolução'],
  payout: ['Payout notification', 'Notificação de repasse'],
  custom: ['Other notification', 'Outra notificação'],
};

/** Every control, in the order of the documentation. */
export const controls: readonly Control[] = [
  control({
    name: 'list-journeys',
    endpoint: 'GET /transactions',
    label: ['Journeys', 'Jornadas'],
    about: ['Lists the journeys, the newest last.', 'Lista as jornadas, as mais novas por último.'],
    run: ({ transactions }) => ({ transactions }),
  }),
  control({
    name: 'create',
    endpoint: 'POST /transactions',
    data: (journey) => journey,
    label: ['Create a test journey', 'Criar uma jornada de teste'],
    about: [
      'Creates a journey as your client would, with the fields of the sample order.',
      'Cria uma jornada como o seu cliente criaria, com os campos do pedido de exemplo.',
    ],
    done: ['Created {reference} ({uuid}): {amount}', 'Jornada {reference} criada ({uuid}): {amount}'],
    fields: {
      referenceCode: textField(['Your order identifier', 'Identificador do pedido']),
      amount: amountField(['Amount (default: 59.70)', 'Valor (padrão: 59,70)']),
      authorizeOnly: flagField([
        'Without an immediate payment: authorize only',
        'Sem pagamento imediato: apenas autorizar',
      ]),
    },
    example: { referenceCode: 'order-1001' },
    run: (sandbox, _id, order) => sandbox.createTestJourney(order),
  }),
  control({
    name: 'pay',
    endpoint: 'POST /transactions/:id/pay',
    subject: 'journey',
    data: (paid) => paid,
    label: ['Pay', 'Pagar'],
    about: [
      'The payer pays, and the next payments are scheduled. Without an immediate payment, the payer only authorizes: nothing is charged or sent.',
      'O pagador paga, e os próximos pagamentos são agendados. Sem pagamento imediato, o pagador apenas autoriza: nada é cobrado nem enviado.',
    ],
    done: ['Paid {reference} ({uuid}): {amount}', '{reference} foi paga ({uuid}): {amount}'],
    run: (sandbox, id) => ({ scheduledPayments: sandbox.pay(id) }),
  }),
  control({
    name: 'cancel',
    endpoint: 'POST /transactions/:id/cancel',
    subject: 'journey',
    label: ['Cancel', 'Cancelar'],
    about: ['The journey is cancelled.', 'A jornada é cancelada.'],
    done: ['Cancelled {reference} ({uuid})', '{reference} foi cancelada ({uuid})'],
    run: (sandbox, id) => sandbox.cancelTransaction(id),
  }),
  control({
    name: 'refund',
    endpoint: 'POST /transactions/:id/refund',
    subject: 'paid-journey',
    data: (refund) => ({ refund }),
    label: ['Refund', 'Devolver'],
    about: [
      'A refund is credited; without an amount, all that is left is refunded.',
      'Uma devolução é creditada; sem um valor, devolve tudo o que resta.',
    ],
    done: [
      'Refunded {amount} of {reference} ({uuid}): refund {result}',
      '{amount} de {reference} devolvidos ({uuid}): devolução {result}',
    ],
    fields: {
      amount,
      reason,
      receipt: {
        ...textField(['Receipt', 'Comprovante']),
        schema: z.optional(z.nullable(z.string())),
        isForScripts: true,
      },
    },
    example: { amount: 10, reason: 'damaged goods' },
    run: (sandbox, id, options) => sandbox.refund(id, options),
  }),
  control({
    name: 'reverse',
    endpoint: 'POST /transactions/:id/reverse',
    subject: 'paid-journey',
    data: (reversal) => ({ reversal }),
    label: ['Reverse', 'Estornar'],
    about: [
      'The service starts to return the funds: a reversal begins, PENDING. It can end at once.',
      'O serviço começa a devolver os fundos: um estorno começa, PENDING. Ele pode terminar na hora.',
    ],
    done: [
      'Reversal {result} of {reference} ({uuid}): {amount}, {status}',
      'Estorno {result} de {reference} ({uuid}): {amount}, {status}',
    ],
    fields: {
      amount,
      reason,
      complete: flagField(['Also complete it: PAID', 'Também concluir: PAID']),
      cancel: flagField(['Also cancel it: CANCELLED', 'Também cancelar: CANCELLED']),
    },
    example: { reason: 'sale not identified' },
    run: (sandbox, id, options) => sandbox.reverse(id, options),
  }),
  control({
    name: 'complete-reversal',
    endpoint: 'POST /reversals/:id/complete',
    ...reversal,
    label: ['Complete the reversal', 'Concluir o estorno'],
    about: ['The funds are back with the payer.', 'Os fundos voltaram ao pagador.'],
    run: (sandbox, id) => sandbox.completeReversal(id),
  }),
  control({
    name: 'cancel-reversal',
    endpoint: 'POST /reversals/:id/cancel',
    ...reversal,
    label: ['Cancel the reversal', 'Cancelar o estorno'],
    about: ['The reversal is cancelled.', 'O estorno é cancelado.'],
    run: (sandbox, id) => sandbox.cancelReversal(id),
  }),
  control({
    name: 'list-scheduled-payments',
    endpoint: 'GET /transactions/:id/scheduled-payments',
    label: ['Scheduled payments', 'Pagamentos agendados'],
    about: ['Lists the scheduled payments of a journey.', 'Lista os pagamentos agendados de uma jornada.'],
    run: (sandbox, id) => ({ scheduledPayments: sandbox.scheduledPayments(id) }),
  }),
  control({
    name: 'pay-scheduled',
    endpoint: 'POST /scheduled-payments/:id/pay',
    label: ['Pay', 'Pagar'],
    about: [
      'The bank charges a scheduled payment, such as the next one of a journey.',
      'O banco cobra um pagamento agendado, como o próximo de uma jornada.',
    ],
    ...scheduledPayment,
    run: (sandbox, id) => sandbox.payScheduledPayment(id),
  }),
  control({
    name: 'decline-scheduled',
    endpoint: 'POST /scheduled-payments/:id/fail',
    label: ['Decline', 'Recusar'],
    about: ['A scheduled payment fails, for good.', 'Um pagamento agendado falha em definitivo.'],
    ...scheduledPayment,
    run: (sandbox, id) => sandbox.failScheduledPayment(id),
  }),
  control({
    name: 'cancel-scheduled',
    endpoint: 'POST /scheduled-payments/:id/cancel',
    label: ['Cancel', 'Cancelar'],
    about: [
      'A scheduled payment is cancelled, as `cancelScheduledPayment` of your client does.',
      'Um pagamento agendado é cancelado, como faz `cancelScheduledPayment` do seu cliente.',
    ],
    ...scheduledPayment,
    fields: { reason },
    example: { reason: 'asked for by the customer' },
    run: (sandbox, id, { reason }) => sandbox.cancelScheduledPayment(id, reason),
  }),
  control({
    name: 'play',
    endpoint: 'POST /transactions/:id/scenario',
    subject: 'paid-journey',
    data: (played) => played,
    label: ['Play a scenario', 'Executar um cenário'],
    about: [
      'Plays a story of the recurrence. Its notifications are invented, and say so; with a step, only that one is sent.',
      'Executa uma história da recorrência. As notificações são inventadas e dizem isso; com uma etapa, envia só aquela.',
    ],
    done: [
      'Played {name} on {reference} ({uuid}): {steps} steps',
      '{name} executado em {reference} ({uuid}): {steps} etapas',
    ],
    fields: {
      name: { ...choiceField(scenarioTexts, ['Scenario', 'Cenário']), schema: z.enum(scenarioNames) },
      step: { schema: z.optional(z.number()), input: 'number', label: ['Only this step', 'Só esta etapa'] },
    },
    example: { name: 'no-funds-three-times', step: 1 },
    run: (sandbox, id, { name, step }) => sandbox.playScenario(name, id, { step }),
  }),
  control({
    name: 'hide',
    endpoint: 'POST /transactions/:id/hide',
    subject: 'paid-journey',
    label: ['Hide', 'Ocultar'],
    about: [
      'Leaves a journey out of every list, and sends nothing about it. `verify` hides its own.',
      'Tira uma jornada de todas as listas e não envia nada sobre ela. `verify` oculta as suas.',
    ],
    done: ['Hidden: {reference} ({uuid})', 'Oculta: {reference} ({uuid})'],
    run: (sandbox, id) => sandbox.hideTransaction(id),
  }),
  control({
    name: 'pay-out',
    endpoint: 'POST /payouts',
    data: (payout) => ({ payout }),
    label: ['Pay out', 'Repassar'],
    about: [
      'Pays out to an account, or fails with a documented code.',
      'Faz um repasse para uma conta, ou falha com um código documentado.',
    ],
    done: ['Payout {uuid}: {amount}, {outcome}', 'Repasse {uuid}: {amount}, {outcome}'],
    fields: {
      amount: { schema: z.number(), input: 'amount', label: ['Amount', 'Valor'] },
      fail: choiceField(payoutFailures, ['Make it fail', 'Fazer falhar']),
      reason: textField([
        'The bank’s reason, for PE0003 and PE0004',
        'Motivo do banco, para PE0003 e PE0004',
      ]),
      referenceCode: textField(['Your reference', 'Sua referência']),
      currency: { ...textField(['Currency', 'Moeda']), isForScripts: true },
      bankDetails: {
        schema: z.optional(z.strictObject({ bank: text, branch: text, account: text })),
        input: 'json',
        label: ['Account', 'Conta'],
        isForScripts: true,
      },
    },
    example: { amount: 25, fail: 'PE0003', reason: 'account closed' },
    run: (sandbox, _id, options) => sandbox.payOut(options),
  }),
  control({
    name: 'notify',
    endpoint: 'POST /notifications',
    label: ['Send a notification of your own', 'Enviar uma notificação personalizada'],
    about: [
      'Sends your own body, such as a notification of the recurrence that the document does not show.',
      'Envia o seu próprio corpo, como uma notificação da recorrência que a documentação não mostra.',
    ],
    done: ['Sent', 'Enviada'],
    fields: {
      payload: {
        schema: z.record(z.string(), z.unknown()),
        input: 'json',
        label: ['Body (JSON object)', 'Corpo (objeto JSON)'],
      },
      query: textField(['Query flags', 'Parâmetros da query string']),
    },
    example: { payload: { event: 'my-event' }, query: 'type=recurrence' },
    run: (sandbox, _id, { payload, query }) => sandbox.notify(payload, query),
  }),
  control({
    name: 'list-deliveries',
    endpoint: 'GET /deliveries',
    label: ['Deliveries', 'Entregas'],
    about: [
      'Lists the notifications with every attempt, the newest last.',
      'Lista as notificações com cada tentativa, as mais novas por último.',
    ],
    run: ({ deliveries }) => ({ deliveries }),
  }),
  control({
    name: 'resend',
    endpoint: 'POST /deliveries/:id/redeliver',
    subject: 'delivery',
    label: ['Send again', 'Reenviar'],
    about: [
      'Sends a notification once more, now; your listener must not act twice.',
      'Envia uma notificação mais uma vez, agora; seu listener não pode agir duas vezes.',
    ],
    typed: 'resend',
    run: (sandbox, id) => sandbox.redeliver(id),
  }),
  control({
    name: 'show-listener',
    endpoint: 'GET /webhook-url',
    label: ['Your listener', 'Seu listener'],
    about: ['Shows where notifications go.', 'Mostra para onde vão as notificações.'],
    run: ({ webhookUrl }) => ({ webhookUrl }),
  }),
  control({
    name: 'set-listener',
    endpoint: 'PUT /webhook-url',
    label: ['Save', 'Salvar'],
    about: [
      'Changes where notifications go; without a URL, none are sent.',
      'Muda para onde vão as notificações; sem uma URL, nenhuma é enviada.',
    ],
    done: ['Saved', 'Salvo'],
    fields: {
      webhookUrl: {
        schema: z.optional(webhookUrl),
        input: 'text',
        label: ['Listener URL', 'URL do listener'],
      },
    },
    example: { webhookUrl: 'http://127.0.0.1:3000/webhooks' },
    run: (sandbox, _id, options) => sandbox.setWebhookUrl(options.webhookUrl),
  }),
  control({
    name: 'list-faults',
    endpoint: 'GET /faults',
    label: ['Faults', 'Falhas simuladas'],
    about: ['Lists the faults that still wait for calls.', 'Lista as falhas que ainda esperam por chamadas.'],
    run: ({ pendingFaults }) => ({ faults: pendingFaults }),
  }),
  control({
    name: 'set-fault',
    endpoint: 'POST /faults',
    label: ['Arm a fault', 'Armar uma falha'],
    about: [
      'Makes the next calls of an operation go wrong.',
      'Faz as próximas chamadas de uma operação darem errado.',
    ],
    typed: 'fault getTransaction status --status 503 --times 2',
    fields: {
      operation: { ...operation, schema: z.enum(operationNames) },
      fault: { schema: faultSchema, input: 'json', label: ['Fault', 'Falha'] },
    },
    example: { operation: 'getTransaction', fault: { kind: 'status', status: 503, times: 2 } },
    run: (sandbox, _id, { operation, fault }) => sandbox.fault(operation, fault),
  }),
  control({
    name: 'clear-faults',
    endpoint: 'DELETE /faults',
    label: ['Clear all faults', 'Remover todas as falhas'],
    about: [
      'Removes the faults that still wait for calls: all of them, or those of one operation.',
      'Remove as falhas que ainda esperam por chamadas: todas, ou as de uma operação.',
    ],
    typed: 'fault --clear',
    fields: {
      operation: { ...operation, isForScripts: true },
    },
    run: (sandbox, _id, { operation }) => sandbox.clearFaults(operation),
  }),
];
