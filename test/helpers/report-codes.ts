import { MESSAGES } from '../../src/webhooks/report-texts';

/** Every code of a report: the compiler asks for the message of each. */
export const reportCodes = Object.keys(MESSAGES) as (keyof typeof MESSAGES)[];
