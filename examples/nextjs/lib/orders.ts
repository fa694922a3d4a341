import type { QrCode } from 'pix-automatic-sdk';

interface Order {
  readonly reference: string;
  readonly qrCode: QrCode;
  paid: boolean;
}

// In place of your database. Next.js may load a module once for pages and once for route handlers, so what they share
// cannot be a variable of the module.
const shared = globalThis as { orders?: Map<string, Order> };
shared.orders ??= new Map();

/** The order of each transaction. */
export const orders = shared.orders;
