import { defineNotification } from 'pix-automatic-sdk/webhooks';
import * as z from 'zod';

/**
 * AN ASSUMPTION, TO BE REPLACED. The service's document says that the recurring journey has notifications, and does not
 * show them: the fields below are made up for this example. Start without this definition, see in the output of
 * `unrecognized` which fields you are sent, and describe those.
 */
export const scheduledCharge = defineNotification({
  kind: 'scheduledCharge',
  // Asked before the documented kinds are: true only for what cannot be one of them.
  match: (body) => 'instructionId' in body,
  // Loose, and strict only about what you act on: what does not fit is not lost, but goes to `unrecognized`.
  schema: z.looseObject({
    instructionId: z.string().min(1),
    status: z.string().min(1),
    attempt: z.number().default(0),
    code: z.string().optional(),
    amount: z.number().optional(),
  }),
  // A notification with the same subject and state is a repetition. A charge of Pix may fail and be retried up to three
  // times: with the status alone in `state`, your code would never see the second failure.
  subject: ({ instructionId }) => instructionId,
  state: ({ status, attempt }) => `${attempt}-${status}`,
});
