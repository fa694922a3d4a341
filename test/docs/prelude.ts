import type { Server } from 'node:http';
import type { PaymentsClient } from 'pix-automatic-sdk';
import type { PaymentNotification, WebhookHandler } from 'pix-automatic-sdk/webhooks';

// What the blocks of the documents take as given: the merchant's own books, and what an earlier block has made.
declare global {
  const client: PaymentsClient;
  const notification: PaymentNotification;
  const handler: WebhookHandler;
  const server: Server;
  const orders: {
    markAsPaid(uuid: string): Promise<void>;
    addRefund(saleToken: string, refundUuid: string): Promise<void>;
    setReversal(uuid: string, status: string): Promise<void>;
    alertOnNotificationsOf(referenceCode: string): Promise<void>;
    openUuids(): Promise<string[]>;
  };
}
