import type { Server } from 'node:http';
import type { PaymentsClient } from 'pix-automatic-sdk';
import type { PaymentNotification, WebhookHandler } from 'pix-automatic-sdk/webhooks';

// Names that the documents’ blocks use without declaring them: the merchant’s own code, and results of earlier
// blocks.
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
