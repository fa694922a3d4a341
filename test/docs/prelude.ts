import type { Server } from 'node:http';
import type { Express, RequestHandler } from 'express';
import type { Pool } from 'pg';
import type { PaymentsClient } from 'pix-automatic-sdk';
import type { OrderRequest, Orders } from 'pix-automatic-sdk/orders';
import type { PaymentNotification, WebhookHandler } from 'pix-automatic-sdk/webhooks';

// Names that the documents’ blocks use without declaring them: the merchant’s own code, and results of earlier
// blocks.
declare global {
  const client: PaymentsClient;
  const pool: Pool;
  function askAPerson(transaction: unknown, payload: object): Promise<void>;
  const notification: PaymentNotification;
  const request: OrderRequest;
  /** Of a case. */
  const id: string;
  const handler: WebhookHandler;
  const server: Server;
  const app: Express;
  const staffOnly: RequestHandler;
  /** Of `examples/nextjs/lib/reasons.ts`. */
  function wordsFor(reason: string): string;
  /** Those of `createOrders`, and in pages without them the merchant's own. */
  const orders: Orders & {
    /** Finds the order of a payload by `saleToken`, then by `referenceCode`; or takes its key. */
    markAsPaid(
      order: string | { saleToken: string; referenceCode?: string | null | undefined },
    ): Promise<void>;
    askAPerson(saleToken: string, orderKey: string | undefined): Promise<void>;
    addRefund(saleToken: string, refundUuid: string): Promise<void>;
    setReversal(uuid: string, status: string): Promise<void>;
    openAndNotCheckedOn(day: string): Promise<string[]>;
    markAsChecked(uuid: string, day: string): Promise<void>;
  };
}
