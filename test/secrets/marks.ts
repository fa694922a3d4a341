/** Credentials and personal data that appear nowhere else. Mixed case, because host names come back in lower case. */
export const marked = {
  apiKey: 'MarkedKey7f3a',
  apiToken: 'MarkedToken9c1d',
  cpf: '52998224725',
  email: 'Marked.Person@example.com',
  account: 'MarkedAccount98765-4',
} as const;

export const credentials = { apiKey: marked.apiKey, apiToken: marked.apiToken };
export const authorization = `Basic ${toBase64(`${marked.apiKey}:${marked.apiToken}`)}`;

/** Each mark as it is, percent-encoded where it must be and throughout, and in Base64. */
const forms = [...Object.values(marked), authorization.slice('Basic '.length)]
  .flatMap((mark) => [
    mark,
    encodeURIComponent(mark),
    [...mark].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
    toBase64(mark).replace(/=+$/, ''),
  ])
  .map((form) => form.toLowerCase());

/** The marks in a text, in any case. */
export function marksIn(text: string): string[] {
  const lower = text.toLowerCase();
  return [...new Set(forms)].filter((form) => lower.includes(form));
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
