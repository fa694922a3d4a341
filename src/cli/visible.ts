/** Control characters (C0, DEL, C1) and those that change the direction of text. They could falsify output. */
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes every character that controls a terminal, in a value from outside such as a reference code. */
export function visible(text: string): string {
  return text.replaceAll(STEERING, escapeCharacter);
}

/** The same for text of several lines, whose line ends are ours. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** A text whose values are escaped: every value may come from outside. */
export function line(texts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return texts.map((text, index) => text + visible(String(values[index] ?? ''))).join('');
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
