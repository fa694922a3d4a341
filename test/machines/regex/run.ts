import { decodeQrCode, PaymentsClient, parseDateTime } from 'pix-automatic-sdk';
import { checkAuthorization, parseNotification, payoutFailure } from 'pix-automatic-sdk/webhooks';
import { findRegularExpressions } from './find';
import { type Growth, measure, type Subject } from './growth';

/**
 * Measures how time grows with the input: each regular expression of the library on texts that are bad for it, and the
 * entries over bodies of 1 MiB and headers of 16 KiB. Four times the input may take about four times as long.
 *
 *     npm run machine -- regex
 */
const MIB = 2 ** 20;
/** Between linear (4) and quadratic (16), with a margin for a busy machine. */
const MAX_FACTOR = 9;

/** Texts that the library's regular expressions look for, to be repeated. */
const pumps = [
  ...[
    ' ',
    '\n',
    'a',
    'A',
    '0',
    '/',
    '=',
    ':',
    ';',
    ',',
    '-',
    '.',
    '_',
    '%',
    '$',
    '\\',
    '"',
    '<',
    '\u0000',
    '\ud800',
  ],
  ...[
    'PE0003',
    'PE0003 ',
    'PE000',
    '"uuid"',
    '"uuid":',
    '"uuid" : "',
    '/*',
    '*/',
    '--',
    '.localhost',
    'a.',
    '127.',
  ],
  ...[
    '<?xml',
    'data:',
    'image/',
    'BEGIN ',
    'ROLLBACK ',
    ' GMT',
    'Mon, ',
    'a1-',
    '\ud800\udc00',
    'é',
    'https://',
    '()',
  ],
];
const starts = ['', 'data:image/', '"uuid":"', '"uuid"', 'PE0003', 'ROLLBACK ', 'Mon, ', '/*', 'http://'];
const badTexts = starts.flatMap((start) =>
  pumps.map((pump) => (length: number) => `${start}${pump.repeat(length / pump.length)}\u0001!`),
);

const expressions: Subject[] = findRegularExpressions().literals.map(({ where, pattern }) => ({
  name: `${where} ${pattern}`,
  inputs: badTexts,
  run: (text) => {
    pattern.lastIndex = 0;
    return pattern.global ? text.replaceAll(pattern, '') : pattern.exec(text);
  },
}));

const control: Subject = {
  name: 'control: /^data:(image\\/[^;,]*)?[^,]*,/',
  inputs: [(length) => `data:image/${'a'.repeat(length)}`],
  run: (text) => /^data:(image\/[^;,]*)?[^,]*,/.exec(text),
};

const credentials = { apiKey: 'key-1', apiToken: 'token-1' };
const fill = (start: string, pump: string, end: string) => (length: number) =>
  start + pump.repeat((length - start.length - end.length) / pump.length) + end;
const counted = (start: string, each: (index: number) => string, end: string) => (length: number) => {
  let text = start;
  for (let index = 0; text.length < length; index += 1) text += each(index);
  return text + end;
};

const bodies = [
  fill('', '[', ''),
  (length: number) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  (length: number) => `{"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`,
  (length: number) => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}`,
  (length: number) =>
    `{"saleToken":"a","newStatus":"PAID","x":${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}}`,
  fill('{"', 'k', '":1}'),
  counted('{', (index) => `"k${index}":1,`, '"z":1}'),
  counted('{"saleToken":"a","newStatus":"PAID",', (index) => `"k${index}":1,`, '"z":1}'),
  counted('{', (index) => `"${index}":${index},`, '"z":1}'),
  fill('{', '"a":1,', '"z":1}'),
  fill('{"saleToken":"', '\\ud800', '","newStatus":"PAID"}'),
  fill('{"saleToken":"', ':', '","newStatus":"PAID"}'),
  fill('{"saleToken":"a","newStatus":"', '%', '"}'),
  fill('{"a":"', 'PE0003', '"}'),
  fill('{"a":[', '{"b":null},', '1]}'),
  fill('{"a":[', '-0.1e9,', '1]}'),
  fill('{"a":', '9', '}'),
  fill('{"a":"', '\\u0041', '"}'),
  fill('', ' ', '{}'),
  fill('', '\ufeff', '{}'),
  fill('{"a":"', 'é', ''),
];

const queries = [
  counted('?', (index) => `p${index}=1&`, ''),
  fill('?', 'type=&', ''),
  fill('?', 'type=refund&', 'type=payout'),
  fill('?', '&', ''),
  fill('?', '?', '#'),
  fill('', '#', '?type=refund'),
  fill('?type=', '%', ''),
  fill('?type=', '+', ''),
];

const client = (body: string) =>
  new PaymentsClient({
    ...credentials,
    baseUrl: 'https://service.example',
    fetch: async () => new Response(body, { headers: { 'retry-after': body.slice(0, 16_384) } }),
  });

const entries: Subject[] = [
  { name: 'parseNotification, body', inputs: bodies, run: (body) => parseNotification({ body }) },
  {
    name: 'parseNotification, body as bytes',
    inputs: bodies,
    run: (body) => parseNotification({ body: new TextEncoder().encode(body) }),
  },
  { name: 'parseNotification, url', inputs: queries, run: (url) => parseNotification({ url, body: '{}' }) },
  {
    name: 'payoutFailure',
    inputs: badTexts,
    run: (text) => payoutFailure({ success: false, error_code: text, message: text }),
  },
  { name: 'decodeQrCode', inputs: badTexts, run: (text) => decodeQrCode(text) },
  { name: 'parseDateTime', inputs: badTexts, run: (text) => parseDateTime(text, 'America/Sao_Paulo') },
  { name: 'getTransaction, answer', inputs: bodies, run: (body) => client(body).getTransaction('t') },
  {
    name: 'cancelScheduledPayment, answer',
    inputs: [...bodies, fill('', '"uuid":"', ''), fill('', '"uuid" ', '')],
    run: (body) => client(body).cancelScheduledPayment('i', { reason: 'r' }),
  },
];

const headers: Subject = {
  name: 'checkAuthorization, 16 KiB × 64',
  inputs: [
    fill('Basic ', 'A', '='),
    fill('Basic ', 'Og', ''),
    fill('Basic ', ' ', 'Og=='),
    fill('Basic ', '=', ''),
    fill('', ' ', 'Basic'),
    fill('', 'Basic ', ''),
    fill('', 'B', ''),
  ],
  // Many times, because a single run is too short to be measured.
  run: (header) => {
    for (let turn = 0; turn < 64; turn += 1) checkAuthorization(header, credentials);
  },
};

const results: Growth[] = [];
for (const subject of expressions) results.push(show(await measure(subject, MIB / 4)));
for (const subject of entries) results.push(show(await measure(subject, MIB)));
results.push(show(await measure(headers, 16_384)));
const controlled = show(await measure(control, 32_768));

const slow = results.filter(({ factor }) => factor > MAX_FACTOR);
for (const { name, factor } of slow) console.error(`FINDING: ${name} grows by ${factor.toFixed(1)}`);
console.log(
  `\n${expressions.length} regular expressions × ${badTexts.length} texts of up to 256 KiB, ${entries.length + 1} entries at full size: ` +
    `findings ${slow.length}; the control grows by ${controlled.factor.toFixed(1)}`,
);
process.exit(slow.length === 0 && controlled.factor > MAX_FACTOR ? 0 : 1);

function show(growth: Growth): Growth {
  const { name, ms, factor } = growth;
  console.log(`${ms.toFixed(1).padStart(8)} ms  × ${factor.toFixed(1).padStart(4)}  ${name}`);
  return growth;
}
