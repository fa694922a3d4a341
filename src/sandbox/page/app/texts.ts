export type Language = 'en' | 'pt';

/** Every text of the page: Portuguese must have what English has. */
export type Texts = { readonly [Name in keyof typeof english]: string };

const KEY = 'pix-sandbox-language';

/** What was chosen here before, or else what the browser asks for. */
export function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'en' || chosen === 'pt') return chosen;
  return navigator.language.startsWith('pt') ? 'pt' : 'en';
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}

export const english = {
  title: 'Pix Automático sandbox',
  language: 'Language',
  connected: 'Live',
  disconnected: 'The sandbox does not answer. Trying again.',
  waiting: 'Connecting to the sandbox',
  dismiss: 'Dismiss',
  copy: 'Copy',
  copied: 'Copied',
  invented: 'invented by the sandbox',
  showing: 'The newest 50 are shown.',

  connection: 'Connection',
  connectionHint: 'Point your client here, with PaymentsClient.fromEnv():',
  ownCredentials: 'the pair that the sandbox was started with',
  listener: 'Your listener',
  listenerUrl: 'Listener URL',
  listenerHint: 'Notifications go to this URL. Leave it empty to send none.',
  listenerByKind: 'Each kind has a URL of its own. Saving one URL here replaces them all.',
  save: 'Save',
  saved: 'Saved',
  verify: 'Check the listener',
  verifying: 'Checking, this takes a few seconds',
  verifyFix: 'Fix',
  passed: 'passed',
  failed: 'failed',
  notChecked: 'not checked',

  journeys: 'Journeys',
  noJourneys: 'No journey yet. Create one with your client, and it appears here.',
  uuid: 'UUID',
  reference: 'Reference',
  created: 'created',
  qrAlt: 'QR code of',
  qrText: 'Copy-and-paste text',
  refunded: 'Refunded',
  pay: 'Pay',
  cancel: 'Cancel',
  refund: 'Refund',
  refundAmount: 'Amount to refund',
  everything: 'all that is left',
  reverse: 'Reverse',
  scheduled: 'Scheduled payments',
  instruction: 'Instruction id',
  payNext: 'Pay the next one',
  failNext: 'Fail the next one',
  scenario: 'Scenario',
  play: 'Play scenario',
  reversals: 'Reversals',
  complete: 'Complete',
  cancelReversal: 'Cancel reversal',

  payouts: 'Payouts',
  amount: 'Amount',
  outcome: 'Outcome',
  succeeds: 'succeeds',
  pe0001: 'fails: bank details not valid (PE0001)',
  pe0002: 'fails: holder and document differ (PE0002)',
  pe0003: 'fails: account takes no transfers (PE0003)',
  pe0004: 'fails: other reasons (PE0004)',
  reason: "The bank's reason (optional)",
  payOut: 'Pay out',
  own: 'Notification of your own',
  ownHint: 'For notifications that the document does not show, such as those of scheduled payments.',
  payload: 'Body (JSON object)',
  query: 'Query flags (optional)',
  send: 'Send',
  notJson: 'The body is not a JSON object.',

  deliveries: 'Deliveries',
  noDeliveries: 'No notification yet. Pay a journey to send one.',
  noListener: 'Without a listener URL, none is sent.',
  attempt: 'Attempt',
  manual: 'redelivered',
  answered: 'Answer',
  noAnswer: 'no answer',
  nextAttempt: 'next attempt in',
  redeliver: 'Redeliver',
  curl: 'Copy as curl',
  request: 'Request as sent',
  pending: 'pending',
  delivered: 'delivered',
  givenUp: 'given up',

  calls: 'Calls of your client',
  noCalls: 'No call yet.',
  advice: 'Look at this',
  requestBody: 'Request',
  answerBody: 'Answer',
  fault: 'fault',
  ended: 'connection ended',

  faults: 'Faults',
  faultsHint: 'What goes wrong with the coming calls of an operation. One fault at a time for each.',
  howOften: 'How often',
  nextCall: 'the next call',
  everyCall: 'every call',
  httpStatus: 'HTTP status',
  delay: 'Delay in milliseconds',
  clearFaults: 'Clear all faults',
  latency: 'late answer',
  status: 'other HTTP status',
  bodyStatusMinus1: 'body status -1',
  bodyStatus999: 'body status 999',
  resetBefore: 'reset, nothing done',
  resetAfter: 'reset, but done',
  stalled: 'stalled body',
  truncated: 'truncated body',
  wrongJson: 'broken JSON',
};
