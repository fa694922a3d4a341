// Tests whether the time of checkAuthorization reveals anything about the credentials. The method is that of dudect
// (Reparaz, Balasch, Verbauwhede, 2017): it measures two classes of input in random order, and compares them by Welch's
// t, over all samples and over those below some percentiles. Above 4.5, they differ. Unlike dudect, it computes t over
// rounds, each with new copies of the credentials: where garbage collection puts an object in memory, and where the map
// of encoded pairs holds it, changes the time by a nanosecond, and says nothing about its content.
// Run: npm run machine -- timing --samples 40000 --seed 7
import { parseArgs } from 'node:util';
import { checkAuthorization } from 'pix-automatic-sdk/webhooks';
import { randomFrom } from './lib/random';

const { values: args } = parseArgs({
  options: {
    samples: { type: 'string', default: '40000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const samples = Number(args.samples);
const random = randomFrom(Number(args.seed));
const encoded = new WeakMap<Pair, string>();

/** Several, because timers are too coarse for one call of about a microsecond. */
const CALLS_PER_SAMPLE = 50;
const MAX_T = 4.5;
const ROUNDS = 20;
/** How many copies of the credentials each round has. */
const COPIES = 200;
const PERCENTILES = [100, 99, 95, 90, 75, 50];

/** Sent in nearly all classes: only the credentials may differ, not what the sender knows. */
const guess = { apiKey: 'key-of-the-merchant-2026', apiToken: 'token-9f86d081884c7d659a2feaa0c55ad015' };
const { apiKey, apiToken } = guess;
/** Credentials that the guess is checked against. */
const unlike = { apiKey: 'anybody-elses-key-in-1999', apiToken: 'secret-0a3bf4f1b2b0b822cd15d6c15b0f00' };
const firstByte = { apiKey: `K${apiKey.slice(1)}`, apiToken };
const lastByte = { apiKey, apiToken: `${apiToken.slice(0, -1)}6` };
const rightKey = { apiKey, apiToken: unlike.apiToken.slice(0, -1).padEnd(apiToken.length, '1') };
const shorter = { apiKey: firstByte.apiKey, apiToken: apiToken.slice(8) };
const longer = { apiKey: firstByte.apiKey, apiToken: `${apiToken}a3bf4f` };

type Pair = typeof guess;
type Check = (header: string, credentials: readonly Pair[]) => unknown;

/** What is sent, and what it is checked against. */
interface Class {
  readonly name: string;
  readonly sent: Pair;
  readonly expected: readonly Pair[];
}

function against(name: string, ...expected: readonly Pair[]): Class {
  return { name, sent: guess, expected };
}

const atFirst = against('differs in the first byte', firstByte);
const atLast = against('differs in the last byte', lastByte);
const ofFirst = against('is the first of two pairs', guess, unlike);
const ofSecond = against('is the second', unlike, guess);

/** What an attacker could learn: how much of a guess is right, how long the secret is, and which pair is meant. */
const comparisons: ReadonlyArray<readonly [Class, Class]> = [
  [atFirst, atLast],
  [against('differs everywhere', unlike), atLast],
  [against('differs everywhere', unlike), against('the key is right', rightKey)],
  [atFirst, against('credentials are shorter', shorter)],
  [atFirst, against('credentials are longer', longer)],
  [
    against('nearly the first of two pairs', lastByte, unlike),
    against('nearly the second', unlike, lastByte),
  ],
  [ofFirst, ofSecond],
  [atFirst, atFirst],
];

console.log(
  `seed ${args.seed}, ${samples} samples a class in ${ROUNDS} rounds, ${CALLS_PER_SAMPLE} calls a sample`,
);
console.log(`${'\ncheckAuthorization'.padEnd(59)}max |t|   difference a call`);
warmUp();
const differing = comparisons.filter(([a, b]) => compare(checkAuthorization, a, b) > MAX_T);
console.log('\ncheckAuthorization, what the sender knows');
compare(checkAuthorization, atFirst, { ...atFirst, name: 'the header is longer', sent: longer });
console.log('\ncontrol: the same with a comparison that ends at the first difference');
const caught = [
  [atFirst, atLast],
  [ofFirst, ofSecond],
] as const;
const missed = caught.filter(([a, b]) => compare(naiveCheck, a, b) <= MAX_T);

console.log(
  `\n${differing.length} of ${comparisons.length} differ, the control is caught in ${caught.length - missed.length} of ${caught.length}`,
);
process.exit(differing.length + missed.length === 0 ? 0 : 1);

/** Runs all classes in random order, so that the compiler has seen them all and does not compile again later. */
function warmUp(): void {
  const all = comparisons.flat();
  for (let turn = 0; turn < 20_000; turn += 1) {
    const { sent, expected } = all[Math.floor(random() * all.length)] ?? atFirst;
    for (const check of [checkAuthorization, naiveCheck]) time(check, headerOf(sent), expected);
  }
}

/** Prints and returns |t| for the percentile where it is largest. */
function compare(check: Check, a: Class, b: Class): number {
  const rounds = Array.from({ length: ROUNDS }, () => measure(check, a, b));
  const results = PERCENTILES.map((percentile) => {
    const differences = rounds.map((times) => differenceBelow(percentile, times));
    const { mean: difference, variance } = moments(differences);
    const error = Math.sqrt(variance / ROUNDS);
    return { t: Math.abs(difference) / error, difference, error };
  });
  const worst = results.reduce((most, result) => (result.t > most.t ? result : most));
  const name = `  ${a.name} / ${b.name === a.name ? 'the same' : b.name}`;
  const difference = `${worst.difference.toFixed(2).padStart(6)} ± ${worst.error.toFixed(2)} ns`;
  console.log(`${name.padEnd(58)}${worst.t.toFixed(2).padStart(8)}   ${difference}`);
  return worst.t;
}

/** Measures calls of both classes, in random order. */
function measure(check: Check, a: Class, b: Class): readonly [number[], number[]] {
  // Made beforehand: making them between measurements would change what is in the CPU caches.
  const ofA = copiesOf(a.expected);
  const copies = [ofA, a.expected === b.expected ? ofA : copiesOf(b.expected)];
  const order = Array.from({ length: COPIES }, (_, at) =>
    (random() < 0.5 ? [0, 1] : [1, 0]).map((which) => copies[which]?.[at]),
  );
  for (const expected of order.flat()) check(headerOf(guess), expected ?? a.expected);
  const inputs = Array.from({ length: (2 * samples) / ROUNDS }, () => {
    const which = random() < 0.5 ? 0 : 1;
    const expected = copies[which]?.[Math.floor(random() * COPIES)] ?? a.expected;
    return { which, header: headerOf((which === 0 ? a : b).sent), expected } as const;
  });
  const times: [number[], number[]] = [[], []];
  for (const { which, header, expected } of inputs) times[which].push(time(check, header, expected));
  return times;
}

/** Uses the percentile of both classes together, so that the same limit cuts off both. */
function differenceBelow(percentile: number, [a, b]: readonly [number[], number[]]): number {
  const all = Float64Array.from([...a, ...b]).sort();
  const limit = all[Math.ceil((all.length * percentile) / 100) - 1] ?? Number.POSITIVE_INFINITY;
  const [one, other] = [a, b].map((each) => moments(each.filter((ns) => ns <= limit)).mean);
  return (other ?? 0) - (one ?? 0);
}

function copiesOf(expected: readonly Pair[]): ReadonlyArray<readonly Pair[]> {
  return Array.from({ length: COPIES }, () => structuredClone(expected));
}

/** Makes a new string each time: a reused one could be faster because of its place in memory. */
function headerOf({ apiKey, apiToken }: Pair): string {
  const header = `Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`;
  return Buffer.from(header, 'latin1').toString('latin1');
}

/** Returns nanoseconds per call. */
function time(check: Check, header: string, expected: readonly Pair[]): number {
  const start = process.hrtime.bigint();
  for (let call = 0; call < CALLS_PER_SAMPLE; call += 1) check(header, expected);
  return Number(process.hrtime.bigint() - start) / CALLS_PER_SAMPLE;
}

function moments(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

/** The comparison that many libraries use: text with text, pair after pair. */
function naiveCheck(header: string, credentials: readonly Pair[]): boolean {
  const received = header.trim().slice('Basic '.length).trimStart();
  return credentials.some((pair) => isEqualNaively(received, encodedOf(pair)));
}

function isEqualNaively(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false;
  for (let at = 0; at < received.length; at += 1) {
    if (received.charCodeAt(at) !== expected.charCodeAt(at)) return false;
  }
  return true;
}

function encodedOf(pair: Pair): string {
  const known = encoded.get(pair);
  if (known !== undefined) return known;
  const text = btoa(`${pair.apiKey}:${pair.apiToken}`);
  encoded.set(pair, text);
  return text;
}
