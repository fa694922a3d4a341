import type { OpenedOrder } from 'pix-automatic-sdk/orders';

/** Each state can be dealt with on its own: what is left has a QR code. */
export function shown(order: OpenedOrder): string | undefined {
  if (order.state === 'paid') return 'Thank you';
  if (order.state === 'review') return 'We are looking at your payment';
  return order.qrCode.plain ?? undefined;
}

/** The QR code is for an open order only. */
// @ts-expect-error: a paid order has none
export const wrong = (order: OpenedOrder) => order.qrCode;
