// Writes `src/schemas/guards.generated.ts` out of the schemas of answers and notifications: functions that say quickly
// that a value is exactly as documented, which nearly all are. zod takes some microseconds for that.
// Run: npm run generate               writes the file
//      npm run generate -- --check    fails when it is not what the schemas give
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { scheduledPaymentCancellationObject } from '../src/schemas/cancellation';
import { recurringCheckoutObject } from '../src/schemas/checkout-response';
import * as checks from '../src/schemas/checks';
import { payoutObject } from '../src/schemas/notifications/payout';
import { refundObject } from '../src/schemas/notifications/refund';
import { reversalObject } from '../src/schemas/notifications/reversal';
import { saleObject } from '../src/schemas/notifications/sale';
import { bankDetailsObject, identityDocumentObject, phoneObject } from '../src/schemas/shared';
import { transactionObject } from '../src/schemas/transaction';
import { generateGuards } from './guards';

const FILE = 'src/schemas/guards.generated.ts';

const code = generateGuards(
  {
    Sale: saleObject,
    Reversal: reversalObject,
    Refund: refundObject,
    Payout: payoutObject,
    RecurringCheckout: recurringCheckoutObject,
    Transaction: transactionObject,
    ScheduledPaymentCancellation: scheduledPaymentCancellationObject,
  },
  { BankDetails: bankDetailsObject, IdentityDocument: identityDocumentObject, Phone: phoneObject },
  checks,
);
const formatted = execFileSync('npx', ['biome', 'format', `--stdin-file-path=${FILE}`], {
  input: code,
  encoding: 'utf8',
});

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, formatted);
} else if (readFileSync(FILE, 'utf8') !== formatted) {
  console.error(`${FILE} is not what the schemas give. Run \`npm run generate\` and commit what it changes.`);
  process.exit(1);
}
