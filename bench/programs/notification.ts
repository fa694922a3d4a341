// Time to verify, parse and validate one notification, beside other libraries that do some of that.
import { interleave } from '../lib/interleave';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import { deliveries, forged } from './notification/deliveries';
import { refusals, verifiers } from './notification/ours';
import { peers } from './notification/peers';
import { timer } from './notification/timer';
import { validators } from './notification/validators';

const { seed, rounds } = programInput<{ seed: number; rounds: number }>();
const random = randomFrom(seed);
const texts = deliveries();
const bytes = texts.map((delivery) => ({ ...delivery, body: Buffer.from(delivery.body) }));
const peerVerifiers = await peers();

const results = {
  version: process.versions.node,
  bodyBytes: [...new Set(texts.map(({ body }) => body.length))].sort((a, b) => a - b),
  text: await interleave(timers({ ...verifiers, ...validators, ...peerVerifiers }, texts), {
    rounds,
    random,
  }),
  bytes: await interleave(timers({ ...verifiers, stripe: peerVerifiers.stripe }, bytes), { rounds, random }),
  forged: await interleave(timers(refusals, forged(texts)), { rounds, random }),
};
console.log(JSON.stringify(results));

function timers<Name extends string, Delivery>(
  candidates: Readonly<Record<Name, (delivery: Delivery) => unknown>>,
  inputs: readonly Delivery[],
) {
  const entries = Object.entries(candidates) as [Name, (delivery: Delivery) => unknown][];
  return Object.fromEntries(entries.map(([name, run]) => [name, timer(run, inputs)])) as Record<
    Name,
    () => Promise<number>
  >;
}
