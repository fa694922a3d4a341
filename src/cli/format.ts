/** `R$ 59.70`. */
export function money(amount: number): string {
  return `R$ ${decimal(amount)}`;
}

/** `59.70`. */
export function decimal(number: number, least = 2, most = least): string {
  return number.toLocaleString('en', { minimumFractionDigits: least, maximumFractionDigits: most });
}

/** `A and B`. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}
