import { en } from './texts.en';
import { pt } from './texts.pt';
import { en as verifyEn } from './verify/texts.en';
import { pt as verifyPt } from './verify/texts.pt';

/** The key of a text of the command line, or of one of `verify`. */
export type TextKey = keyof typeof en | keyof typeof verifyEn;

/** What stands behind this prefix in the keys. */
type After<Prefix extends string, Key = TextKey> = Key extends `${Prefix}${infer Rest}` ? Rest : never;

/** A step of `verify`: `first` has the text `step.first`. */
export type StepId = After<'step.'>;

/** What mostly ends the failure of a step. */
const hints: Readonly<Partial<Record<StepId, TextKey>>> = {
  first: 'fix.madeUpSale',
  again: 'fix.noKey',
  cents: 'fix.truncates',
  alike: 'fix.keyWithoutIdentity',
  refund: 'fix.refundLikePayment',
  secondRefund: 'fix.refundKey',
  refundNoQuery: 'fix.queryAloneBooked',
  reversal: 'fix.otherKind',
  reversalBegins: 'fix.otherKind',
  reversalEnds: 'fix.reversalKey',
  latePending: 'fix.reopens',
  reversalCancelled: 'fix.otherKind',
  payout: 'fix.otherKind',
  failedPayout: 'fix.failedAsPayout',
  payoutAfterFailed: 'fix.payoutKey',
  leftOut: 'fix.needsField',
  nulls: 'fix.strict',
  split: 'fix.pieces',
  long: 'fix.limit',
  letters: 'fix.encoding',
  reference: 'fix.encoding',
  cutLetter: 'fix.decodesPieces',
  allAgain: 'fix.noKeyOfKind',
  reordered: 'fix.hashesBody',
  fiveAtOnce: 'fix.noClaim',
  refundAtOnce: 'fix.noClaim',
  payoutAtOnce: 'fix.noClaim',
  threeAtOnce: 'fix.losesAtOnce',
  unasked: 'fix.swallows',
  wrongAmount: 'fix.comparesNoAmount',
  rightAmount: 'fix.keepsUnconfirmed',
  unpaid: 'fix.comparesNoAmount',
  paidSince: 'fix.keepsUnconfirmed',
  afterRefused: 'fix.keepsLock',
  secondPayment: 'fix.secondTakesBack',
  statuses: 'fix.statusAsPayment',
  lateSale: 'fix.reopens',
  unknownKinds: 'fix.refusesUnknown',
  afterUnknown: 'fix.endsProcess',
  headerName: 'fix.headerCase',
  pairs: 'fix.checksNothing',
  kindsWithoutPair: 'fix.paymentsAlone',
  methods: 'fix.otherMethods',
  restart: 'fix.forgetsAtRestart',
  status: 'fix.only200',
  prompt: 'fix.slow',
  workFirst: 'fix.worksLater',
  secrets: 'fix.leaks',
};

/** Of a first payment that is refused, the status says more. */
const hintsOfStatus: Readonly<Record<number, TextKey>> = {
  401: 'fix.pair',
  403: 'fix.pair',
  404: 'fix.path',
  405: 'fix.path',
  415: 'fix.mediaType',
  429: 'fix.rateLimit',
  500: 'fix.body',
};

/** What to do about a step that failed. */
export function hintOf(id: StepId, status = 200): TextKey | undefined {
  return (id === 'first' ? hintsOfStatus[status] : undefined) ?? hints[id];
}

export const texts: Readonly<Record<'en' | 'pt', Readonly<Record<string, string>>>> = {
  en: { ...en, ...verifyEn },
  pt: { ...pt, ...verifyPt },
};
