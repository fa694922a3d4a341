/**
 * Facts of Pix itself: reads a QR code's text, explains a code, and computes dates. It does not depend on the rest
 * of the package, and runs in browsers.
 *
 * @module pix-automatic-sdk/pix
 */

export { type BrCode, BrCodeError, type BrCodeField, readBrCode } from './br-code';
export { explainPixCode, type PixCodeExplanation } from './explain-pix-code';
export { type PixCycle, pixCalendar } from './pix-calendar';
