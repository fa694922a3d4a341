import { decodeQrCode, PaymentsClient, PaymentsError, parseDateTime } from 'pix-automatic-sdk';
import { checkAuthorization, parseNotification, payoutFailure } from 'pix-automatic-sdk/webhooks';

/**
 * Measures how time grows with the input: the entries over bodies of 1 MiB and headers of 16 KiB. Four times the input
 * may take about four times as long. `regex.test.ts` checks the structure of each regular expression.
 *
 *     npm run machine -- regex
 */
const MIB = 2 ** 20;
/** Between linear (4) and quadratic (16), with a margin for a busy machine. */
const MAX_FACTOR = 9;
/** Below this, a measurement shows only the clock and the garbage collector. */
const SHORTEST_MS = 1;

/** Makes a text of about this length that is as bad as possible. */
type Input = (length: number) => string;

const credentials = { apiKey: 'key-1', apiToken: 'token-1' };
const fill =
  (start: string, pump: string, end: string): Input =>
  (length) =>
    start + pump.repeat((length - start.length - end.length) / pump.length) + end;
const counted =
  (start: string, each: (index: number) => string, end: string): Input =>
  (length) => {
    let text = start;
    for (let index = 0; text.length < length; index += 1) text += each(index);
    return text + end;
  };

/** Texts that the library's regular expressions look for, repeated. */
const pumps = [
  ...[' ', '\n', 'a', 'A', '0', '/', '=', ':', ';', ',', '-', '.', '_', '%', '$', '\\', '"', '<', '\u0000'],
  ...['\ud800', '\ud800\udc00', 'é', 'PE0003', 'PE0003 ', 'PE000', '"uuid"', '"uuid":', '"uuid" : "'],
  ...['.localhost', 'a.', '127.', '<?xml', 'data:', 'image/', ' GMT', 'Mon, ', 'a1-', 'https://', '()'],
];
const starts = ['', 'data:image/', '"uuid":"', '"uuid"', 'PE0003', 'Mon, ', 'http://'];
const texts = starts.flatMap((start) => pumps.map((pump) => fill(start, pump, '\u0001!')));

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

const headers = [
  fill('Basic ', 'A', '='),
  fill('Basic ', 'Og', ''),
  fill('Basic ', ' ', 'Og=='),
  fill('Basic ', '=', ''),
  fill('', ' ', 'Basic'),
  fill('', 'Basic ', ''),
  fill('', 'B', ''),
];

const uuids = [fill('', '"uuid":"', ''), fill('', '"uuid" ', '')];

const client = (body: string) =>
  new PaymentsClient({
    ...credentials,
    baseUrl: 'https://service.example',
    fetch: async () => new Response(body, { headers: { 'retry-after': body.slice(0, 16_384) } }),
  });

type Entry = readonly [
  name: string,
  length: number,
  inputs: readonly Input[],
  run: (text: string) => unknown,
];

const entries: readonly Entry[] = [
  ['parseNotification, body', MIB, bodies, (body) => parseNotification({ body })],
  [
    'parseNotification, body as bytes',
    MIB,
    bodies,
    (body) => parseNotification({ body: new TextEncoder().encode(body) }),
  ],
  ['parseNotification, url', MIB, queries, (url) => parseNotification({ url, body: '{}' })],
  ['payoutFailure', MIB, texts, (text) => payoutFailure({ success: false, error_code: text, message: text })],
  ['decodeQrCode', MIB, texts, (text) => decodeQrCode(text)],
  ['parseDateTime', MIB, texts, (text) => parseDateTime(text, 'America/Sao_Paulo')],
  ['getTransaction, answer', MIB, bodies, (body) => client(body).getTransaction('t')],
  [
    'cancelScheduledPayment, answer',
    MIB,
    [...bodies, ...uuids],
    (body) => client(body).cancelScheduledPayment('i', { reason: 'r' }),
  ],
  [
    'checkAuthorization, 16 KiB × 64',
    16_384,
    headers,
    // Many times, because a single run is too short to be measured.
    (header) => {
      for (let turn = 0; turn < 64; turn += 1) checkAuthorization(header, credentials);
    },
  ],
];
const control: Entry = [
  'control: /^data:(image\\/[^;,]*)?[^,]*,/',
  32_768,
  [(length) => `data:image/${'a'.repeat(length)}`],
  (text) => /^data:(image\/[^;,]*)?[^,]*,/.exec(text),
];

const slow: string[] = [];
for (const entry of entries) {
  const factor = await growthOf(entry);
  if (factor > MAX_FACTOR) slow.push(`${entry[0]} grows by ${factor.toFixed(1)}`);
}
const controlled = await growthOf(control);
for (const finding of slow) console.error(`FINDING: ${finding}`);
console.log(
  `\n${entries.length} entries at full size: findings ${slow.length}; the control grows by ${controlled.toFixed(1)}`,
);
process.exit(slow.length === 0 && controlled > MAX_FACTOR ? 0 : 1);

/** The factor by which the time of the worst input grows for four times the input: 4 is linear, 16 is quadratic. */
async function growthOf([name, length, inputs, run]: Entry): Promise<number> {
  let ms = 0;
  let factor = 0;
  for (const input of inputs) {
    // Over two steps of four times, because a single step is easily disturbed.
    const first = Math.max(await fastest(run, input(length / 16)), SHORTEST_MS);
    const last = await fastest(run, input(length));
    ms = Math.max(ms, last);
    factor = Math.max(factor, Math.sqrt(last / first));
  }
  console.log(`${ms.toFixed(1).padStart(8)} ms  × ${factor.toFixed(1).padStart(4)}  ${name}`);
  return factor;
}

async function fastest(run: (input: string) => unknown, input: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5 && (turn < 2 || best < 200); turn += 1) {
    const started = cpuMs();
    try {
      await run(input);
    } catch (error) {
      // A refusal takes time too, so it counts. Any other error, such as a stack overflow, is a finding.
      if (!(error instanceof PaymentsError)) throw error;
    }
    best = Math.min(best, cpuMs() - started);
  }
  return best;
}

/** CPU time of this process. On a busy machine, clock time would also measure other processes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
