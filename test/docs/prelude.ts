import type { Server } from 'node:http';
import type { PaymentsClient } from 'pix-automatic-sdk';
import type { JourneyJournal, JourneyRequest } from 'pix-automatic-sdk/journal';
import type { PaymentNotification, WebhookHandler } from 'pix-automatic-sdk/webhooks';

// Names that the documents’ blocks use without declaring them: the merchant’s own code, and results of earlier
// blocks.
declare global {
  const client: PaymentsClient;
  const journal: JourneyJournal;
  const request: JourneyRequest;
  const pool: {
    query(text: string, values: unknown[]): Promise<{ rows: object[] }>;
  };
  const notification: PaymentNotification;
  const handler: WebhookHandler;
  const server: Server;
  const orders: {
    /** Finds the order of a payload by `saleToken`, then by `referenceCode`; or takes its key. */
    markAsPaid(
      order: string | { saleToken: string; referenceCode?: string | null | undefined },
    ): Promise<void>;
    askAPerson(saleToken: string, orderKey: string | undefined): Promise<void>;
    addRefund(saleToken: string, refundUuid: string): Promise<void>;
    setReversal(uuid: string, status: string): Promise<void>;
    nextReference(orderKey: string): Promise<string>;
    alertOnNotificationsOf(referenceCode: string, uuid: string | undefined): Promise<void>;
    openAndNotCheckedOn(day: string): Promise<string[]>;
    markAsChecked(uuid: string, day: string): Promise<void>;
  };
}
