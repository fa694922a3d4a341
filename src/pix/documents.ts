/** Whether the two check digits of a CPF are right. Digits only. */
export function isCpf(text: string): boolean {
  return /^\d{11}$/.test(text) && checks(text, 11);
}

/** Whether the two check digits of a CNPJ are right. Digits, or capital letters in the first twelve places. */
export function isCnpj(text: string): boolean {
  return /^[\dA-Z]{12}\d\d$/.test(text) && checks(text, 9);
}

/** Eleven times the same digit would pass, and is given to nobody. */
function checks(text: string, highestWeight: number): boolean {
  const isRight = (length: number) => checkDigit(text.slice(0, length), highestWeight) === text[length];
  return !/^(.)\1+$/.test(text) && isRight(text.length - 2) && isRight(text.length - 1);
}

/** Modulo 11 with weights from 2 upward, from the right; a letter counts as its ASCII code less 48. */
function checkDigit(text: string, highestWeight: number): string {
  let sum = 0;
  let weight = 2;
  for (const character of [...text].reverse()) {
    sum += (character.charCodeAt(0) - 48) * weight;
    weight = weight === highestWeight ? 2 : weight + 1;
  }
  return String(((sum * 10) % 11) % 10);
}
