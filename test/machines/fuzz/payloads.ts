import {
  failedPayoutPayload,
  payoutPayload,
  refundPayload,
  reversalPayload,
  salePayload,
} from '../../webhooks/support';

/** The documented notifications (document sections 6.2 to 6.5), one of a merchant’s own kind, and one of no kind. */
export const notifications = [
  salePayload(),
  { ...salePayload(), newStatus: 'REVERSAL' },
  reversalPayload(),
  refundPayload(),
  payoutPayload(),
  failedPayoutPayload(),
  { instructionId: 'i-1', status: 'CHARGED' },
  { recurrenceId: 'c-1', nested: { list: [1, { two: null }] } },
];
