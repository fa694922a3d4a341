import { CASE_TEXTS } from '../../src/orders/case-reasons';
import { MESSAGES } from '../../src/webhooks/report-texts';

/** Every code of a report: the compiler asks for the message of each. */
export const reportCodes = Object.keys({ ...MESSAGES, ...CASE_TEXTS }) as (
  | keyof typeof MESSAGES
  | keyof typeof CASE_TEXTS
)[];
