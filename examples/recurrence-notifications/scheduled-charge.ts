import { defineNotification } from 'pix-automatic-sdk/webhooks';
import * as z from 'zod';

/**
 * AN ASSUMPTION, TO BE REPLACED. The service's document says that the recurring journey has notifications, and does not
 * show them: `instructionId`, `status` and `amount` below are made up for this example. Start without this definition,
 * see in the output of `unrecognized` which fields you are sent, and describe those.
 */
export const scheduledCharge = defineNotification({
  kind: 'scheduledCharge',
  // Asked before the documented kinds are: true only for what cannot be one of them.
  match: (body) => 'instructionId' in body,
  // Loose, and strict only about what you act on: what does not fit is not lost, but goes to `unrecognized`.
  schema: z.looseObject({
    instructionId: z.string().min(1),
    status: z.string().min(1),
    amount: z.number().optional(),
  }),
  // Both together are what a duplicate is told by. Without `state`, a second status would be taken for a duplicate.
  subject: ({ instructionId }) => instructionId,
  state: ({ status }) => status,
});
