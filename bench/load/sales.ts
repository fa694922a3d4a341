/** A sale by its number, with the fields that its notification and the service's answer share. */
export function saleOf(number: number) {
  return { saleToken: uuidOf(number), referenceCode: `order-${number}`, amount: 59.7 };
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
