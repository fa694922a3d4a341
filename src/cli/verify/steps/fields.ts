import type { SandboxNotification } from '../../../sandbox/model/records';
import { isObject } from '../../../shared/objects';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import type { Send } from '../send';
import type { Script, World } from '../world';

/** A change of one field. */
interface Change {
  readonly path: string;
  /** `undefined` leaves the field out of the JSON. */
  readonly value: unknown;
}

/** The fields of each kind that are never left out, because no listener can act without them. */
const needed: Readonly<Record<string, readonly string[]>> = {
  payment: ['saleToken', 'newStatus', 'referenceCode', 'amount'],
  refund: ['saleToken', 'referenceCode', 'status', 'refund.uuid', 'refund.amount', 'refund.status'],
  reversal: ['uuid', 'status', 'reversedAmount', 'sale.uuid', 'sale.id'],
  payout: ['uuid', 'success', 'status', 'amount'],
};

/** Field that the document does not show. The names are made up, and say so. */
const UNKNOWN = 'sandboxField';

/** A notification, and the payment that a listener may want to know before it. */
interface Made {
  readonly notification: SandboxNotification;
  readonly before?: SandboxNotification;
}

/** Each kind with all but the needed fields left out, and then with `null` in their place and unknown ones beside them. */
export async function* fields({ sales }: World, paid: readonly Sale[]): Script {
  const [first] = paid;
  const kinds: Record<string, () => Promise<Made>> = {
    payment: async () => ({ notification: (await sales.sale()).payment }),
    refund: async () => ({ notification: await (first ?? (await sales.sale())).refund(0.1) }),
    async reversal() {
      const sale = await sales.sale();
      return { notification: (await sale.reversal('PAID')).ended, before: sale.payment };
    },
    payout: async () => ({ notification: sales.payout(true) }),
  };
  for (const [kind, make] of Object.entries(kinds)) {
    const paths = pathsOf((await make()).notification.payload).filter((path) => !isNeeded(kind, path));
    const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
    const objects = paths.filter((path) => !leaves.includes(path));
    const forms = {
      leftOut: paths.map((path) => ({ path, value: undefined })),
      null: [
        ...leaves.map((path) => ({ path, value: null })),
        { path: UNKNOWN, value: [{ depth: 1 }] },
        ...objects.map((path) => ({ path: `${path}.${UNKNOWN}`, value: 'new' })),
      ],
    };
    for (const [form, changes] of Object.entries(forms) as ['leftOut' | 'null', Change[]][]) {
      const { notification, before } = await make();
      const opening: Send[] = before === undefined ? [] : [{ what: 'a payment', notification: before }];
      const payload = changes.reduce(
        (rest, { path, value }) => replace(rest, path.split('.'), value),
        notification.payload,
      );
      yield {
        id: form === 'leftOut' ? 'leftOut' : 'nulls',
        of: kind,
        sends: [
          ...opening,
          {
            what: `a ${kind} ${form === 'leftOut' ? 'without optional fields' : 'with null and unknown fields'}`,
            notification: { ...notification, payload },
          },
        ],
        must: [...opening.map((send) => bookingOf(send.notification)), bookingOf(notification)],
      };
    }
  }
}

function isNeeded(kind: string, path: string): boolean {
  return needed[kind]?.some((name) => name === path || name.startsWith(`${path}.`)) ?? false;
}

/** Every field that has a value, the fields of objects included: `shopper`, `shopper.email`. */
function pathsOf(payload: object, prefix = ''): string[] {
  return Object.entries(payload).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null) return [];
    const path = prefix + name;
    return isObject(value) ? [path, ...pathsOf(value, `${path}.`)] : [path];
  });
}

function replace(payload: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = Reflect.get(payload, name);
  if (rest.length === 0) return { ...payload, [name]: value };
  return isObject(inner) ? { ...payload, [name]: replace(inner, rest, value) } : payload;
}
