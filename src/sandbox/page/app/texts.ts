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
  showing: ['Only the newest are shown.', 'Só os mais recentes aparecem.'],

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
  verify: ['Check the listener', 'Verificar o listener'],
  verifying: ['Checking, this takes a few seconds', 'Verificando, leva alguns segundos'],
  verifyFix: ['Fix', 'Correção'],
  passed: ['passed', 'passou'],
  failed: ['failed', 'falhou'],
  notChecked: ['not checked', 'não verificado'],

  journeys: ['Journeys', 'Jornadas'],
  noJourneys: [
    'No journey yet. Create one with your client, and it appears here.',
    'Nenhuma jornada ainda. Crie uma com seu cliente e ela aparece aqui.',
  ],
  uuid: ['UUID', 'UUID'],
  reference: ['Reference', 'Referência'],
  created: ['created', 'criada'],
  qrAlt: ['QR code of', 'QR Code de'],
  qrText: ['Copy-and-paste text', 'Pix copia e cola'],
  refunded: ['Refunded', 'Devolvido'],
  pay: ['Pay', 'Pagar'],
  cancel: ['Cancel', 'Cancelar'],
  refund: ['Refund', 'Devolver'],
  refundAmount: ['Amount to refund', 'Valor a devolver'],
  everything: ['all that is left', 'tudo o que resta'],
  reverse: ['Reverse', 'Estornar'],
  scheduled: ['Scheduled payments', 'Pagamentos agendados'],
  instruction: ['Instruction id', 'Id da instrução'],
  payNext: ['Pay the next one', 'Pagar o próximo'],
  failNext: ['Fail the next one', 'Recusar o próximo'],
  scenario: ['Scenario', 'Cenário'],
  play: ['Play scenario', 'Executar cenário'],
  reversals: ['Reversals', 'Estornos'],
  complete: ['Complete', 'Concluir'],
  cancelReversal: ['Cancel reversal', 'Cancelar estorno'],

  payouts: ['Payouts', 'Repasses'],
  amount: ['Amount', 'Valor'],
  outcome: ['Outcome', 'Resultado'],
  succeeds: ['succeeds', 'bem-sucedido'],
  PE0001: ['fails: bank details not valid', 'falha: dados bancários inválidos'],
  PE0002: ['fails: holder and document differ', 'falha: titular e documento diferem'],
  PE0003: ['fails: account takes no transfers', 'falha: conta não aceita transferências'],
  PE0004: ['fails: other reasons', 'falha: outros motivos'],
  reason: ["The bank's reason (optional)", 'Motivo do banco (opcional)'],
  payOut: ['Pay out', 'Repassar'],
  own: ['Your own notification', 'Notificação própria'],
  ownHint: [
    'For notifications that the document does not show, such as those of scheduled payments.',
    'Para notificações que o documento não mostra, como as de pagamentos agendados.',
  ],
  payload: ['Body (JSON object)', 'Corpo (objeto JSON)'],
  query: ['Query flags (optional)', 'Parâmetros da query string (opcional)'],
  send: ['Send', 'Enviar'],
  notJson: ['The body is not a JSON object.', 'O corpo não é um objeto JSON.'],

  deliveries: ['Deliveries', 'Entregas'],
  noDeliveries: [
    'No notification yet. Pay a journey to send one.',
    'Nenhuma notificação ainda. Pague uma jornada para enviar uma.',
  ],
  noListener: ['Without a listener URL, none is sent.', 'Sem a URL do listener, nenhuma é enviada.'],
  attempt: ['Attempt', 'Tentativa'],
  manual: ['redelivered', 'reenviada'],
  answered: ['Answer', 'Resposta'],
  noAnswer: ['no answer', 'sem resposta'],
  nextAttempt: ['next attempt in', 'próxima tentativa em'],
  redeliver: ['Redeliver', 'Reenviar'],
  curl: ['Copy as curl', 'Copiar como curl'],
  request: ['Request as sent', 'Requisição enviada'],
  pending: ['pending', 'pendente'],
  delivered: ['delivered', 'entregue'],
  givenUp: ['given up', 'abandonada'],

  calls: ['Calls from your client', 'Chamadas do seu cliente'],
  noCalls: ['No call yet.', 'Nenhuma chamada ainda.'],
  advice: ['Look at this', 'Vale conferir'],
  requestBody: ['Request', 'Requisição'],
  answerBody: ['Answer', 'Resposta'],
  fault: ['fault', 'falha simulada'],
  ended: ['connection ended', 'conexão encerrada'],

  faults: ['Faults', 'Falhas simuladas'],
  faultsHint: [
    'Choose what goes wrong with the next calls of an operation, one fault at a time.',
    'Escolha o que dá errado nas próximas chamadas de uma operação, uma falha por vez.',
  ],
  howOften: ['How often', 'Com que frequência'],
  nextCall: ['the next call', 'a próxima chamada'],
  everyCall: ['every call', 'todas as chamadas'],
  httpStatus: ['HTTP status', 'Status HTTP'],
  delay: ['Delay in milliseconds', 'Atraso em milissegundos'],
  clearFaults: ['Clear all faults', 'Remover todas as falhas'],
  latency: ['late answer', 'resposta atrasada'],
  status: ['other HTTP status', 'outro status HTTP'],
  'body-status': ['body status', 'status do corpo'],
  'reset-before-read': ['reset before the operation', 'conexão cai antes da operação'],
  'reset-after-read': ['reset after the operation', 'conexão cai depois da operação'],
  'stalled-body': ['stalled body', 'corpo que trava'],
  'truncated-body': ['truncated body', 'corpo cortado'],
  'wrong-json': ['broken JSON', 'JSON inválido'],
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
