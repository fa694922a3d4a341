import { decimal, type Sentence, say } from '../../language';
import type { CheckDefinition } from '../check';
import type { Delivery } from '../session';

/** In binary, each of them times 100 is no whole number: 1998.9999999999998, 114.99999999999999, 110.00000000000001. */
const AMOUNTS = [19.99, 1.15, 1.1];

export const amounts: CheckDefinition = {
  id: 'amounts',
  title: 'Takes every amount',
  asks: 'Payments of 19.99, 1.15 and 1.10. With `--shop`, of the amounts that the shop chooses.',
  why: 'A listener that turns an amount into cents without rounding refuses every twentieth payment, or books it a cent short.',
  fix: 'Round when you turn an amount into cents: `Math.round(amount * 100)`, in Python `round(amount * 100)`. 19.99 * 100 is 1998.9999999999998: `BigInt` throws, `int` cuts it, and it equals no number of cents. Or compare the amounts as they are: 19.99 is 19.99.',
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('no payment was accepted');
    await session.settle();
    const unit = session.actionsPer('payment');
    const all: Delivery[] = [];
    for (const amount of AMOUNTS) {
      const { payment } = await session.sale({ amount });
      all.push([say('a payment of R$ {amount}', { amount: decimal(amount) }), payment]);
    }
    const { result, actions } = await session.watchAll(unit * all.length, all);
    const accepted = result.filter((exchange) => findings.expectAccepted(exchange));
    const missing = unit * accepted.length - (actions?.total ?? unit * accepted.length);
    if (missing > 0) findings.fail(NOT_ACTED_ON, { missing });
  },
};

const NOT_ACTED_ON = '{missing} of these payments were accepted and not acted on' satisfies Sentence;
