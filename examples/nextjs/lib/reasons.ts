/** What a case asks of your staff, by its reason, in English and in Portuguese. Take the words, and make them yours. */
export function wordsFor(reason: string, language: 'en' | 'pt' = 'en'): string {
  const [en, pt] = REASONS[reason] ?? ['Ask a developer.', 'Fale com o time de desenvolvimento.'];
  return language === 'pt' ? pt : en;
}

type Words = readonly [en: string, pt: string];

const failed: Words = [
  'Our system failed. It tries again by itself: tell a developer if this is still here tomorrow.',
  'O nosso sistema falhou. Ele tenta de novo sozinho: avise o time de desenvolvimento se isto ainda estiver aqui amanhã.',
];
const unconfirmed: Words = [
  'The service has not confirmed it. It is asked again by itself: dismiss it if the service does not know it.',
  'O serviço não confirmou. Ele é consultado de novo sozinho: dispense se o serviço não o conhecer.',
];
const developer: Words = [
  'Our system does not understand this message: tell a developer.',
  'O nosso sistema não entende esta mensagem: avise o time de desenvolvimento.',
];

export const REASONS: Readonly<Record<string, Words>> = {
  paid_twice: [
    'The customer paid again. Have the second payment returned, then dismiss it; or book it.',
    'O cliente pagou de novo. Peça a devolução do segundo pagamento e dispense; ou registre.',
  ],
  other_amount: [
    'It is not the amount that was asked for. Book it, or have it returned and dismiss it.',
    'O valor é diferente do pedido. Registre, ou peça a devolução e dispense.',
  ],
  closed: [
    'The customer paid a QR code that we had closed. Book it, or have it returned and dismiss it.',
    'O cliente pagou um QR code que já estava encerrado. Registre, ou peça a devolução e dispense.',
  ],
  authorized_twice: [
    'The customer has approved two recurrences of this order. Have one cancelled; this ends by itself.',
    'O cliente aprovou duas recorrências deste pedido. Peça o cancelamento de uma; isto termina sozinho.',
  ],
  other_order: [
    'A charge that two orders have. Find out whose it is, and book it for that order; or dismiss it.',
    'Uma cobrança que dois pedidos têm. Descubra de qual é e registre nesse pedido; ou dispense.',
  ],
  other_sale: [
    'A sale with the number of this order, which we did not start. Dismiss it if you do not know it.',
    'Uma venda com o número deste pedido, que não foi iniciada por nós. Dispense se você não a reconhece.',
  ],
  no_order: [
    'Money of no order. Find out whose it is, and book it for that order; or dismiss it.',
    'Um valor sem pedido. Descubra de quem é e registre nesse pedido; ou dispense.',
  ],
  unclear_amount: [
    'It is not clear how much was paid. Look at the account, and book that amount.',
    'Não está claro quanto foi pago. Confira o extrato e registre esse valor.',
  ],
  returned_in_full: [
    'It went back before we had booked it: dismiss it.',
    'Foi devolvido antes de ser registrado: dispense.',
  ],
  early_return: [
    'Money went back of a payment that we have not booked yet. It is tried again by itself.',
    'Devolução de um pagamento ainda não registrado. Há nova tentativa automática.',
  ],
  sale_status: [
    'The sale is not paid any more. Look at it in the panel of the service, then dismiss this.',
    'A venda não está mais paga. Veja no painel do serviço e depois dispense.',
  ],
  needs_person: ['Read the note, and decide.', 'Leia a nota e decida.'],
  unexpected_repeat: [
    'It came again. Book it if the money came twice, else dismiss it.',
    'Chegou de novo. Registre se o dinheiro entrou duas vezes; senão, dispense.',
  ],
  transaction_ended: [
    'It may be booked in part: have a developer check it, then dismiss it.',
    'Pode estar registrado em parte: peça ao time de desenvolvimento para conferir e depois dispense.',
  ],
  callback_failed: failed,
  callback_timeout: failed,
  nothing_written: failed,
  lease_lost: failed,
  store_failed: failed,
  not_confirmed: unconfirmed,
  confirm_failed: unconfirmed,
  unhandled: developer,
  invalid_notification: developer,
  too_many_states: developer,
};
