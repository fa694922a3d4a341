// Time to verify, parse and validate one notification, beside stripe's webhooks, which do some of that.
import { interleave } from '../lib/interleave';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import { type Delivery, deliveries, forged, kindNames } from './notification/deliveries';
import { refusals, verifiers } from './notification/ours';
import { stripe } from './notification/stripe';
import { timer } from './notification/timer';

const { seed, rounds } = programInput<{ seed: number; rounds: number }>();
const random = randomFrom(seed);
const texts = deliveries();
const bytes = texts.map((delivery) => ({ ...delivery, body: Buffer.from(delivery.body) }));
const withStripe = { ...verifiers, stripe: await stripe() };

const results = {
  version: process.versions.node,
  bodyBytes: [...new Set(texts.map(({ body }) => body.length))].sort((a, b) => a - b),
  text: await interleave(timers(withStripe, texts), { rounds, random }),
  // Each kind on its own, because a figure over all of them would hide the slowest.
  kinds: await interleave(
    Object.assign({}, ...kindNames.map((kind) => timersOf(kind))) as Record<string, () => Promise<number>>,
    { rounds, random },
  ),
  bytes: await interleave(timers(withStripe, bytes), { rounds, random }),
  forged: await interleave(timers(refusals, forged(texts)), { rounds, random }),
};
console.log(JSON.stringify(results));

function timersOf(kind: Delivery['kind']) {
  const { 'the floor': floor, 'this library': ours } = timers(
    verifiers,
    texts.filter((delivery) => delivery.kind === kind),
  );
  return { [`${kind}, the floor`]: floor, [`${kind}`]: ours };
}

function timers<Name extends string, Input>(
  candidates: Readonly<Record<Name, (delivery: Input) => unknown>>,
  inputs: readonly Input[],
) {
  const entries = Object.entries(candidates) as [Name, (delivery: Input) => unknown][];
  return Object.fromEntries(entries.map(([name, run]) => [name, timer(run, inputs)])) as Record<
    Name,
    () => Promise<number>
  >;
}
