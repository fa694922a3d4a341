import { defineNotification } from 'pix-automatic-sdk/webhooks';
import * as z from 'zod';

/**
 * AN ASSUMPTION, TO BE REPLACED. The service's document does not show the notifications of the recurring journey: the fields
 * below are made up for this example. Start without this definition, look at the output of
 * `unrecognized` to see which fields you receive, and describe those.
 */
export const scheduledCharge = defineNotification({
  kind: 'scheduledCharge',
  // The handler tries this before the documented kinds, so return true only for a body that cannot be one of them.
  match: (body) => 'instructionId' in body,
  // Be strict only about the fields that you use. A body that does not fit is not lost: it goes to `unrecognized`.
  schema: z.looseObject({
    instructionId: z.string().min(1),
    dueDate: z.string(),
    status: z.string().min(1),
    sale: z.string(), // the uuid of the journey's transaction
    attempt: z.number().default(0),
    code: z.string().optional(),
    amount: z.number().optional(),
  }),
  // A notification with the same subject and state is a duplicate. A Pix charge may fail and be retried up to three
  // times. If `state` were only the status, your code would never see the second failure.
  subject: ({ instructionId, dueDate }) => `${instructionId}/${dueDate}`,
  state: ({ status, attempt }) => `${attempt}-${status}`,
  // Whose charge it is: `context.order`.
  order: ({ sale }) => ({ uuid: sale }),
});
