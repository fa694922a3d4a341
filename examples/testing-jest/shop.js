const { createOrders } = require('pix-automatic-sdk/orders');

/** Cancels what is still scheduled, when a customer leaves. */
async function unsubscribe(client, instructionIds) {
  for (const instructionId of instructionIds) {
    await client.cancelScheduledPayment(instructionId, { reason: 'the customer left' });
  }
}

/** Opens journeys and receives the notifications. The client confirms each payment with the service. */
function openShop({ client, credentials, store }, database) {
  return createOrders({
    client,
    credentials,
    store,
    on: {
      paid: async ({ order }) => database.markAsPaid(order),
      returned: async ({ sale, amount }) => database.addReturn(sale, amount),
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

module.exports = { openShop, unsubscribe };
