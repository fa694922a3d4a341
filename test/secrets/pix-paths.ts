import { pixCalendar, readBrCode } from 'pix-automatic-sdk/pix';
import { field } from '../pix/samples';
import { marked } from './marks';
import { type Paths, pathsOver } from './path';

const { cpf, email } = marked;
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

export const pixPaths: Paths = {
  ...pathsOver('readBrCode: broken text', broken, readBrCode),
  'pixCalendar: an invalid date': () => pixCalendar({ initialDate: cpf, periodicity: 'MONTHLY' }),
  'pixCalendar: an unknown periodicity': () =>
    pixCalendar({ initialDate: '2026-12-01', periodicity: email as 'MONTHLY' }),
};
