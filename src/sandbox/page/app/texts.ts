export type Language = 'en' | 'pt';

/** Every text of the page, in English and in Portuguese. */
const table = {
  title: ['Pix Automático sandbox', 'Sandbox do Pix Automático'],
  language: ['Language', 'Idioma'],
  connected: ['Live', 'Ao vivo'],
  disconnected: ['The sandbox does not answer. Trying again.', 'O sandbox não responde. Tentando de novo.'],
  waiting: ['Connecting to the sandbox', 'Conectando ao sandbox'],
  dismiss: ['Dismiss', 'Fechar'],
  copy: ['Copy', 'Copiar'],
  copied: ['Copied', 'Copiado'],
  invented: ['invented by the sandbox', 'inventado pelo sandbox'],

  connection: ['Connection', 'Conexão'],
  connectionHint: [
    'Point your client here, with PaymentsClient.fromEnv():',
    'Aponte seu cliente para cá, com PaymentsClient.fromEnv():',
  ],
  ownCredentials: [
    'the credentials that the sandbox was started with',
    'as credenciais com que o sandbox foi iniciado',
  ],
  listener: ['Your listener', 'Seu listener'],
  listenerUrl: ['Listener URL', 'URL do listener'],
  listenerHint: [
    'Notifications go to this URL. Leave it empty to send none.',
    'As notificações vão para esta URL. Deixe vazio para não enviar nenhuma.',
  ],
  listenerByKind: [
    'Each kind has a URL of its own. Saving one URL here replaces them all.',
    'Cada tipo tem sua própria URL. Salvar uma URL aqui substitui todas.',
  ],
  save: ['Save', 'Salvar'],
  saved: ['Saved', 'Salvo'],
  verify: ['Check now', 'Verificar agora'],
  verifying: ['Checking, this may take a minute', 'Verificando, pode levar um minuto'],
  verifyFix: ['Fix', 'Correção'],
  passed: ['passed', 'passou'],
  failed: ['failed', 'falhou'],
  'not-checked': ['not checked', 'não verificado'],

  parts: ['Parts of the page', 'Partes da página'],
  send: ['Send', 'Enviar'],
  optional: ['optional', 'opcional'],
  close: ['Close', 'Fechar'],
  nothing: ['(nothing)', '(nada)'],
  notAmount: ['That is no amount.', 'Isso não é um valor.'],
  inventedChange: [
    'The real service may differ. What changes it here:',
    'O serviço real pode ser diferente. O que muda isto aqui:',
  ],
  pages: ['Pages', 'Páginas'],
  newer: ['Newer', 'Mais recentes'],
  older: ['Older', 'Mais antigas'],
  of: ['of', 'de'],
  PENDING: ['waiting', 'aguardando'],
  AUTHORIZED: ['authorized', 'autorizada'],
  SCHEDULED: ['scheduled', 'agendado'],
  PAID: ['paid', 'paga'],
  FAILED: ['failed', 'falhou'],
  CANCELLED: ['cancelled', 'cancelada'],

  'payment-PENDING': ['under way', 'em andamento'],
  'payment-PAID': ['paid', 'pago'],
  'payment-FAILED': ['declined', 'recusado'],
  'payment-CANCELLED': ['cancelled', 'cancelado'],

  sales: ['Sales', 'Vendas'],
  allSales: ['All sales', 'Todas as vendas'],
  search: ['Search by reference or UUID', 'Buscar por referência ou UUID'],
  state: ['State', 'Estado'],
  all: ['all', 'todas'],
  nothingFound: ['No sale fits.', 'Nenhuma venda corresponde.'],
  noSuchSale: ['The sandbox has no such sale.', 'O sandbox não tem essa venda.'],
  emptyTitle: ['No sale yet', 'Nenhuma venda ainda'],
  emptyText: [
    'A sale begins with a journey: the QR code that a payer accepts. Create one here, or with your own code.',
    'Uma venda começa com uma jornada: o QR Code que o pagador aceita. Crie uma aqui ou com o seu código.',
  ],
  emptyCode: ['With your code', 'Com o seu código'],
  created: ['created', 'criada em'],
  qrCode: ['QR code', 'QR Code'],
  qrText: ['Copy-and-paste text', 'Pix copia e cola'],
  refunded: ['Refunded', 'Devolvido'],
  now: ['What can happen now', 'O que pode acontecer agora'],
  canPay: ['The payer can accept and pay at once.', 'O pagador pode aceitar e pagar na hora.'],
  canAuthorize: [
    'The payer can authorize. Nothing is charged today: the payments come from the calendar.',
    'O pagador pode autorizar. Nada é cobrado hoje: os pagamentos vêm do calendário.',
  ],
  isAuthorized: [
    'Authorized, and nothing charged yet. The next payment is below.',
    'Autorizada, e nada cobrado ainda. O próximo pagamento está abaixo.',
  ],
  nothingToDo: [
    'Nothing more happens to a cancelled journey.',
    'Nada mais acontece com uma jornada cancelada.',
  ],
  story: ['What happened', 'O que aconteceu'],
  scheduled: ['Scheduled payments', 'Pagamentos agendados'],
  instruction: ['Instruction id', 'Id da instrução'],
  reversals: ['Reversals', 'Estornos'],
  'event-created': ['The journey was created', 'A jornada foi criada'],
  'event-paid': ['The payer paid', 'O pagador pagou'],
  'event-authorized': ['The payer authorized', 'O pagador autorizou'],
  'event-cancelled': ['The journey was cancelled', 'A jornada foi cancelada'],
  'event-refunded': ['A refund was credited', 'Uma devolução foi creditada'],
  'event-reversal-PENDING': ['A reversal began', 'Um estorno começou'],
  'event-reversal-PAID': ['The reversal was completed', 'O estorno foi concluído'],
  'event-reversal-CANCELLED': ['The reversal was cancelled', 'O estorno foi cancelado'],
  'event-payment-PAID': ['A scheduled payment was charged', 'Um pagamento agendado foi cobrado'],
  'event-payment-FAILED': ['A scheduled payment failed', 'Um pagamento agendado falhou'],
  'event-payment-CANCELLED': ['A scheduled payment was cancelled', 'Um pagamento agendado foi cancelado'],
  noSale: ['about no sale', 'sobre nenhuma venda'],

  payouts: ['Payout', 'Repasse'],
  own: ['A notification of your own', 'Uma notificação personalizada'],
  notJson: ['The body is not a JSON object.', 'O corpo não é um objeto JSON.'],
  check: ['Check the listener', 'Verificação do listener'],
  checkHint: [
    'Sends every kind, duplicates and forged credentials, and says what to fix. Your sales stay as they are.',
    'Envia todos os tipos, duplicatas e credenciais falsas, e diz o que corrigir. Suas vendas ficam como estão.',
  ],
  checkNeedsUrl: ['Save a listener URL first.', 'Salve antes uma URL de listener.'],

  deliveries: ['Deliveries', 'Entregas'],
  noDeliveries: [
    'No notification yet. Pay a journey to send one.',
    'Nenhuma notificação ainda. Pague uma jornada para enviar uma.',
  ],
  noListener: ['Without a listener URL, none is sent.', 'Sem a URL do listener, nenhuma é enviada.'],
  attempt: ['Attempt', 'Tentativa'],
  manual: ['Sent again', 'Reenviada'],
  noAnswer: ['no answer', 'sem resposta'],
  nextAttempt: ['next attempt in', 'próxima tentativa em'],
  curl: ['Copy as curl', 'Copiar como curl'],
  request: ['Request as sent', 'Requisição enviada'],
  pending: ['pending', 'pendente'],
  delivered: ['delivered', 'entregue'],
  'given-up': ['given up', 'abandonada'],

  calls: ['Calls', 'Chamadas'],
  noCalls: ['No call yet.', 'Nenhuma chamada ainda.'],
  advice: ['Look at this', 'Vale conferir'],
  requestBody: ['Request', 'Requisição'],
  answerBody: ['Answer', 'Resposta'],
  fault: ['fault', 'falha simulada'],
  ended: ['connection ended', 'conexão encerrada'],

  faults: ['Faults', 'Falhas'],
  faultsHint: [
    'Choose what goes wrong with the next calls of an operation, one fault at a time.',
    'Escolha o que dá errado nas próximas chamadas de uma operação, uma falha por vez.',
  ],
  howOften: ['How often', 'Com que frequência'],
  nextCall: ['the next call', 'a próxima chamada'],
  everyCall: ['every call', 'todas as chamadas'],
  httpStatus: ['HTTP status', 'Status HTTP'],
  delay: ['Delay in milliseconds', 'Atraso em milissegundos'],
  takesEffect: [
    'With this status, the operation is still carried out',
    'Com esse status, a operação ainda é efetivada',
  ],
  latency: ['late answer', 'resposta atrasada'],
  status: ['other HTTP status', 'outro status HTTP'],
  'body-status': ['body status', 'status do corpo'],
  'reset-before-read': ['reset before the operation', 'conexão cai antes da operação'],
  'reset-after-read': ['reset after the operation', 'conexão cai depois da operação'],
  'stalled-body': ['stalled body', 'corpo que trava'],
  'truncated-body': ['truncated body', 'corpo cortado'],
  'wrong-json': ['broken JSON', 'JSON inválido'],
  'close-after-answer': ['connection closes after the answer', 'conexão fecha depois da resposta'],
} satisfies Readonly<Record<string, readonly [english: string, portuguese: string]>>;

/** The texts of the page in one language. */
export type Texts = { readonly [Name in keyof typeof table]: string };

export function textsIn(language: Language): Texts {
  const texts = Object.entries(table).map(([name, [english, portuguese]]) => [
    name,
    language === 'pt' ? portuguese : english,
  ]);
  return Object.fromEntries(texts);
}

const KEY = 'pix-sandbox-language';

/** The language chosen here before, or else the browser's. */
export function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'en' || chosen === 'pt') return chosen;
  return navigator.language.startsWith('pt') ? 'pt' : 'en';
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}
