import { type Delivery, plainSecret, standardSecret } from './deliveries';

// Types of the parts that are used: the peers are not installed in the root, where the types are checked.
interface Stripe {
  readonly webhooks: { constructEvent(body: string | Buffer, header: string, secret: string): unknown };
}
interface Octokit {
  verify(body: string, signature: string): Promise<boolean>;
}
interface StandardWebhook {
  verify(body: string, headers: Record<string, string>): unknown;
}
interface OpenAi {
  readonly webhooks: { unwrap(body: string, headers: Record<string, string>): Promise<unknown> };
}
type Maker<Made> = new (argument: never) => Made;

/** Each peer verifies a signature over the body, and parses the body. None validates the result. */
export async function peers() {
  const stripe = await make<Stripe>('stripe', 'default', 'sk_test_1');
  const octokit = await make<Octokit>('@octokit/webhooks', 'Webhooks', { secret: plainSecret });
  const standard = await make<StandardWebhook>('standardwebhooks', 'Webhook', standardSecret);
  const svix = await make<StandardWebhook>('svix', 'Webhook', standardSecret);
  const openai = await make<OpenAi>('openai', 'default', { apiKey: 'sk-1', webhookSecret: standardSecret });
  return {
    octokit: async ({ body, octokitSignature }: Delivery) => {
      if (!(await octokit.verify(body, octokitSignature))) throw new Error('octokit refused its signature.');
      return JSON.parse(body);
    },
    stripe: ({ body, stripeSignature }: Delivery<string | Buffer>) =>
      stripe.webhooks.constructEvent(body, stripeSignature, plainSecret),
    standardwebhooks: ({ body, standardHeaders }: Delivery) => standard.verify(body, standardHeaders),
    svix: ({ body, standardHeaders }: Delivery) => svix.verify(body, standardHeaders),
    openai: ({ body, standardHeaders }: Delivery) => openai.webhooks.unwrap(body, standardHeaders),
  };
}

async function make<Made>(name: string, exported: string, argument: unknown): Promise<Made> {
  const module: Record<string, Maker<Made>> = await import(name);
  const Class = module[exported];
  if (Class === undefined) throw new Error(`${name} does not export ${exported}.`);
  return new Class(argument as never);
}
