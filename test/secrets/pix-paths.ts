import { adviseCheckout, checkBrCode, pixCalendar, readBrCode } from 'pix-automatic-sdk/pix';
import { marked } from './marks';
import type { Path } from './path';

const { apiKey, cpf, email } = marked;
const field = (tag: string, value: string) => tag + String(value.length).padStart(2, '0') + value;
const start = `000201${field('59', email)}`;

/** Codes broken in every way, with personal data before, in and after the broken place. */
const broken = [
  email,
  `${start}${email}`,
  `${start}60${email}`,
  `${start}6099${email}`,
  `${start}${field('59', email)}`,
  `${start}${field('62', cpf)}`,
  `${start}${field('26', `0014br.gov.bcb.pix${email}`)}`,
  `${start}6304${cpf.slice(0, 4)}`,
  `${start}6304${cpf.slice(0, 4)}${email}`,
];

export const pixPaths: readonly Path[] = [
  ...broken.map((text, index): Path => [`readBrCode: broken text ${index + 1}`, () => readBrCode(text)]),
  ...broken.map(
    (text, index): Path => [`checkBrCode: broken text ${index + 1}`, () => checkBrCode(text, {})],
  ),
  ['pixCalendar: an invalid date', () => pixCalendar({ initialDate: cpf, periodicity: 'MONTHLY' })],
  [
    'pixCalendar: an unknown periodicity',
    () => pixCalendar({ initialDate: '2026-12-01', periodicity: email as 'MONTHLY' }),
  ],
  [
    'adviseCheckout: every field wrong',
    () =>
      adviseCheckout({
        currency: apiKey,
        shopper: { email, document: { type: 'CPF', number: `${cpf}.` } },
        recurrence: { calendar: { initialDate: '2020-01-01', finalDate: email, periodicity: email } },
      }),
  ],
];
