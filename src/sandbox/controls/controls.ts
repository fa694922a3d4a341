import * as z from 'zod/mini';
import type { PayoutErrorCode } from '../../service/notifications/payout';
import { operationNames } from '../../service/operations';
import { faultSchema } from '../faults';
import type { SandboxNotification } from '../model/records';
import type { Text } from '../text';
import { amountField, type Control, choiceField, control, flagField, textField } from './control';

// To add a control, add an object here. Its route, `curl`, command, form and documentation follow from it.

const amount = amountField(['Amount (default: all that is left)', 'Valor (padrão: tudo o que resta)']);
const reason = textField(['Reason', 'Motivo']);
const text = z.optional(z.string());

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
    about: ['List the journeys, the newest last', 'Lista as jornadas, as mais novas por último'],
    run: ({ transactions }) => ({ transactions }),
  }),
  control({
    name: 'create',
    endpoint: 'POST /transactions',
    data: (journey) => journey,
    label: ['Create a test journey', 'Criar uma jornada de teste'],
    about: [
      'Create a journey as your code would, with the fields of the sample order',
      'Cria uma jornada como o seu código criaria, com os campos do pedido de exemplo',
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
      'Pay as the payer; without an immediate payment, only authorize: nothing is charged or sent',
      'Paga como o pagador; sem pagamento imediato, apenas autoriza: nada é cobrado nem enviado',
    ],
    done: ['Paid {reference} ({uuid}): {amount}', '{reference} foi paga ({uuid}): {amount}'],
    run: (sandbox, id) => ({ scheduledPayments: sandbox.pay(id) }),
  }),
  control({
    name: 'cancel',
    endpoint: 'POST /transactions/:id/cancel',
    subject: 'journey',
    label: ['Cancel', 'Cancelar'],
    about: ['Cancel the journey', 'Cancela a jornada'],
    done: ['Cancelled {reference} ({uuid})', '{reference} foi cancelada ({uuid})'],
    run: (sandbox, id) => sandbox.cancelTransaction(id),
  }),
  control({
    name: 'refund',
    endpoint: 'POST /transactions/:id/refund',
    subject: 'paid-journey',
    data: (refund) => ({ refund }),
    label: ['Refund', 'Devolver'],
    about: ['Refund a payment, or what is left of it', 'Devolve um pagamento, ou o que resta dele'],
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
      'Start a reversal, as the service does: PENDING, or ended at once',
      'Inicia um estorno, como faz o serviço: PENDING, ou concluído na hora',
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
    about: [
      'Complete a reversal: the funds are back with the payer',
      'Conclui um estorno: os fundos voltam ao pagador',
    ],
    run: (sandbox, id) => sandbox.completeReversal(id),
  }),
  control({
    name: 'cancel-reversal',
    endpoint: 'POST /reversals/:id/cancel',
    ...reversal,
    label: ['Cancel the reversal', 'Cancelar o estorno'],
    about: ['Cancel a reversal', 'Cancela um estorno'],
    run: (sandbox, id) => sandbox.cancelReversal(id),
  }),
  control({
    name: 'list-scheduled-payments',
    endpoint: 'GET /transactions/:id/scheduled-payments',
    label: ['Scheduled payments', 'Pagamentos agendados'],
    about: ['List the scheduled payments of a journey', 'Lista os pagamentos agendados de uma jornada'],
    run: (sandbox, id) => ({ scheduledPayments: sandbox.scheduledPayments(id) }),
  }),
  control({
    name: 'pay-scheduled',
    endpoint: 'POST /scheduled-payments/:id/pay',
    label: ['Pay', 'Pagar'],
    about: ['Charge a scheduled payment, as the bank does', 'Cobra um pagamento agendado, como faz o banco'],
    ...scheduledPayment,
    run: (sandbox, id) => sandbox.payScheduledPayment(id),
  }),
  control({
    name: 'decline-scheduled',
    endpoint: 'POST /scheduled-payments/:id/fail',
    label: ['Decline', 'Recusar'],
    about: ['Let a scheduled payment fail, for good', 'Faz um pagamento agendado falhar em definitivo'],
    ...scheduledPayment,
    run: (sandbox, id) => sandbox.failScheduledPayment(id),
  }),
  control({
    name: 'cancel-scheduled',
    endpoint: 'POST /scheduled-payments/:id/cancel',
    label: ['Cancel', 'Cancelar'],
    about: [
      'Cancel a scheduled payment, as `cancelScheduledPayment` does',
      'Cancela um pagamento agendado, como faz `cancelScheduledPayment`',
    ],
    ...scheduledPayment,
    fields: { reason },
    example: { reason: 'asked for by the customer' },
    run: (sandbox, id, { reason }) => sandbox.cancelScheduledPayment(id, reason),
  }),
  control({
    name: 'hide',
    endpoint: 'POST /transactions/:id/hide',
    subject: 'paid-journey',
    typed: 'verify',
    label: ['Hide', 'Ocultar'],
    about: [
      'Leave a journey out of every list, and send nothing about it, as `verify` does with its own',
      'Tira uma jornada de todas as listas e não envia nada sobre ela, como `verify` faz com as suas',
    ],
    run: (sandbox, id) => sandbox.hideTransaction(id),
  }),
  control({
    name: 'pay-out',
    endpoint: 'POST /payouts',
    data: (payout) => ({ payout }),
    label: ['Pay out', 'Repassar'],
    about: [
      'Pay out to an account, or fail with a documented code',
      'Faz um repasse para uma conta, ou falha com um código documentado',
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
      'Send a body of your own, such as a notification of the recurrence',
      'Envia um corpo próprio, como uma notificação da recorrência',
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
      'List the notifications with every attempt, the newest last',
      'Lista as notificações com cada tentativa, as mais novas por último',
    ],
    run: ({ deliveries }) => ({ deliveries }),
  }),
  control({
    name: 'resend',
    endpoint: 'POST /deliveries/:id/redeliver',
    subject: 'delivery',
    label: ['Send again', 'Reenviar'],
    about: [
      'Send a notification once more; your listener must not act twice',
      'Envia uma notificação mais uma vez; seu listener não pode agir duas vezes',
    ],
    typed: 'resend',
    run: (sandbox, id) => sandbox.redeliver(id),
  }),
  control({
    name: 'show-listener',
    endpoint: 'GET /webhook-url',
    label: ['Your listener', 'Seu listener'],
    about: ['Show where notifications go', 'Mostra para onde vão as notificações'],
    run: ({ webhookUrl }) => ({ webhookUrl }),
  }),
  control({
    name: 'set-listener',
    endpoint: 'PUT /webhook-url',
    label: ['Save', 'Salvar'],
    about: [
      'Change where notifications go; an empty URL sends none',
      'Muda para onde vão as notificações; uma URL vazia não envia nenhuma',
    ],
    done: ['Saved', 'Salvo'],
    argument: 'webhookUrl',
    fields: {
      webhookUrl: textField(['Listener URL', 'URL do listener']),
    },
    example: { webhookUrl: 'http://127.0.0.1:3000/webhooks' },
    run: (sandbox, _id, options) => sandbox.setWebhookUrl(options.webhookUrl),
  }),
  control({
    name: 'list-faults',
    endpoint: 'GET /faults',
    label: ['Faults', 'Falhas simuladas'],
    about: ['List the faults that still wait for calls', 'Lista as falhas que ainda esperam por chamadas'],
    run: ({ pendingFaults }) => ({ faults: pendingFaults }),
  }),
  control({
    name: 'set-fault',
    endpoint: 'POST /faults',
    label: ['Arm a fault', 'Armar uma falha'],
    about: [
      'Make the next calls of an operation go wrong',
      'Faz as próximas chamadas de uma operação darem errado',
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
      'Remove the faults that still wait for calls: all of them, or those of one operation',
      'Remove as falhas que ainda esperam por chamadas: todas, ou as de uma operação',
    ],
    typed: 'fault --clear',
    fields: {
      operation: { ...operation, isForScripts: true },
    },
    run: (sandbox, _id, { operation }) => sandbox.clearFaults(operation),
  }),
];
