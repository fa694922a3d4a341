// Time of one notification in builds of this package, in one process and in turns.
import { interleave, type Samples } from '../lib/interleave';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import { credentials, type Delivery, deliveries } from './notification/deliveries';
import { timer } from './notification/timer';

const { seed, rounds, entries } = programInput<{
  readonly seed: number;
  readonly rounds: number;
  /** The `./webhooks` of each build. */
  readonly entries: Readonly<Record<string, string>>;
}>();

type Webhooks = typeof import('pix-automatic-sdk/webhooks');
type Step = (delivery: Delivery) => unknown;

const texts = deliveries();
const payments = texts.filter(({ kind }) => kind === 'payment');

/** What each build does with a notification. */
function stepsOf({ constructNotification, createWebhookHandler, MemoryStore }: Webhooks) {
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: { payment: () => undefined, unrecognized: 'ignore' },
    onReport: (report) => {
      throw report;
    },
  });
  const handle = async ({ authorization, url, body }: Delivery) => {
    const { status } = await handler.handle({ method: 'POST', url, headers: { authorization }, body });
    if (status !== 200) throw new Error(`It was answered ${status}.`);
  };
  let count = 0;
  return {
    constructNotification: [
      texts,
      ({ authorization, url, body }) => constructNotification({ authorization, url, body }, credentials),
    ],
    'a new payment, by the handler': [
      payments,
      (delivery) => {
        count += 1;
        return handle({
          ...delivery,
          body: delivery.body.replace(/("saleToken":")[^"]*/, `$1sale-${count}`),
        });
      },
    ],
    'a payment again, by the handler': [payments, handle],
  } satisfies Record<string, [readonly Delivery[], Step]>;
}

const builds = await Promise.all(
  Object.entries(entries).map(async ([name, entry]) => [name, stepsOf(await import(entry))] as const),
);
const samples: Record<string, Samples> = {};
for (const what of Object.keys(builds[0]?.[1] ?? {}) as (keyof ReturnType<typeof stepsOf>)[]) {
  const timers = builds.map(([name, steps]) => {
    const [inputs, step] = steps[what] as [readonly Delivery[], Step];
    return [name, timer(step, inputs)] as const;
  });
  samples[what] = await interleave(Object.fromEntries(timers), { rounds, random: randomFrom(seed) });
}
console.log(JSON.stringify({ version: process.versions.node, samples }));
