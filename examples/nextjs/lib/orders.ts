import type { QrCode } from 'pix-automatic-sdk';

interface Order {
  readonly reference: string;
  readonly qrCode: QrCode;
  paid: boolean;
}

// Stands for your database. Next.js may load a module once for pages and once for route handlers, so a variable of the
// module would not be shared between them.
const shared = globalThis as { orders?: Map<string, Order> };
shared.orders ??= new Map();

/** The order of each transaction. */
export const orders = shared.orders;
