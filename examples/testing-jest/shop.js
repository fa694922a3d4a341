const { createWebhookHandler, MemoryStore } = require('pix-automatic-sdk/webhooks');

/** Cancels what is still scheduled, when a customer leaves. */
async function unsubscribe(client, instructionIds) {
  for (const instructionId of instructionIds) {
    await client.cancelScheduledPayment(instructionId, { reason: 'the customer left' });
  }
}

/** Receives the notifications. The client confirms each payment with the service. */
function createListener(credentials, client, orders) {
  return createWebhookHandler({
    credentials,
    confirm: client,
    store: new MemoryStore(),
    on: {
      payment: ({ payload }) => orders.markAsPaid(payload.referenceCode),
      reversal: ({ payload }) => orders.setReversal(payload.sale.uuid, payload.status),
      refund: 'ignore',
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

module.exports = { createListener, unsubscribe };
