import { type Delivery, stripeSecret } from './deliveries';

// Types of the parts that are used: the peers are not installed in the root, where the types are checked.
interface Stripe {
  readonly webhooks: { constructEvent(body: string | Buffer, header: string, secret: string): unknown };
}

/** Verifies a signature over the body, and parses the body. It does not validate the result. */
export async function stripe() {
  // Imported by a variable, so that the type check does not need the module.
  const name = 'stripe';
  const { default: Stripe }: { default: new (key: string) => Stripe } = await import(name);
  const { webhooks } = new Stripe('sk_test_1');
  return ({ body, stripeSignature }: Delivery<string | Buffer>) =>
    webhooks.constructEvent(body, stripeSignature, stripeSecret);
}
