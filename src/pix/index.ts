/**
 * Facts of Pix itself: reads a QR code's text, explains a code, computes dates, and gives advice. It refuses nothing,
 * does not depend on the rest of the package, and runs in browsers.
 *
 * @module pix-automatic-sdk/pix
 */

export type { PixAdvice } from './advice';
export { adviseCheckout } from './advise-checkout';
export type { BrCodeField } from './br-code-fields';
export { BrCodeError } from './br-code-fields';
export { checkBrCode } from './check-br-code';
export type { PixCodeContext } from './codes';
export { explainPixCode, type PixCodeExplanation } from './explain-pix-code';
export type { PixPeriodicity } from './pix-calendar';
export { type PixCycle, type PixRecurrence, pixCalendar } from './pix-calendar';
export { type BrCode, readBrCode } from './read-br-code';
