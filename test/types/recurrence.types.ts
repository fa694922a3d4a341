import { PaymentsClient } from 'pix-automatic-sdk';
import type { AuthorizationResponse, ScheduledPayment } from 'pix-automatic-sdk/recurrence';
import { getAuthorization, listScheduledPayments } from 'pix-automatic-sdk/recurrence';
import type * as z from 'zod/mini';
import type { authorizationResponseObject } from '../../src/recurrence/authorizations';
import type { scheduledPaymentObject } from '../../src/recurrence/scheduled-payments';
import { isTrue, type Known, type SameFields } from './equal';

// Each type is what its schema infers.
isTrue<
  SameFields<
    Known<ScheduledPayment>,
    Known<z.output<typeof scheduledPaymentObject>>,
    'src/recurrence/scheduled-payments.ts'
  >
>();
isTrue<
  SameFields<
    Known<AuthorizationResponse>,
    Known<z.output<typeof authorizationResponseObject>>,
    'src/recurrence/authorizations.ts'
  >
>();

const client = PaymentsClient.fromEnv();

export async function aClientMakesTheseCalls(status: string | undefined): Promise<void> {
  const { authorization } = await getAuthorization(client, 'RR1', { timeoutMs: 1_000 });
  authorization.status?.toLowerCase();
  // @ts-expect-error: a misspelt field
  authorization.idrec;
  // A caller's value that may be missing can be passed directly.
  for await (const { sale } of listScheduledPayments(client, { status })) sale?.uuid?.toLowerCase();
}
