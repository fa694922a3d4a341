import type { SandboxNotification } from '../../../sandbox/model/records';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import type { CheckDefinition } from '../check';
import { everySample, notActedOn, type Sample } from '../documented-kinds';
import type { Exchange, Named, Session } from '../session';

export const missingFields: CheckDefinition = {
  id: 'missing-fields',
  async run(findings, session) {
    await session.settle();
    const variants: Variant[] = [];
    for (const sample of everySample())
      if (session.acceptedKinds.has(sample.name)) variants.push(...(await variantsOf(session, sample)));
    if (variants.length === 0) return findings.leaveOpen('missing-fields.none');
    const notifications = await session.each(
      variants,
      async ({ what, make }): Promise<Named> => [what, await make()],
    );
    // To make them, payments may have been sent first. Those must not be counted here.
    await session.settlePayments();
    const expected = variants.reduce((sum, { kind }) => sum + session.actionsPer(kind), 0);
    const { result, actions } = await session.watchAll(expected, notifications);
    const accepted = variants.filter((_, index) => findings.expectAccepted(result[index] as Exchange));
    const kinds = accepted.map(({ kind }) => kind);
    for (const kind of notActedOn(session, kinds, actions)) {
      const ofKind = variants.filter((variant) => variant.kind === kind);
      const names = await withoutAction(session, session.actionsPer(kind), ofKind);
      if (names.length > 0) findings.fail('missing-fields.notActedOn', { names: names.join(', ') });
      else findings.fail('missing-fields.someNotActedOn', { kind: say(kind) });
    }
  },
};

/** A notification with one field left out or `null`. */
interface Variant {
  readonly kind: TextKey;
  readonly what: string;
  make(): Promise<SandboxNotification>;
}

async function variantsOf(session: Session, { name, needed, make }: Sample): Promise<Variant[]> {
  const paths = pathsOf((await make(session)).payload).filter((path) => !needed.includes(path));
  const variant = (what: string, path: string, value: null | undefined): Variant => ({
    kind: name,
    what,
    async make() {
      const notification = await make(session);
      return { ...notification, payload: replace(notification.payload, path.split('.'), value) };
    },
  });
  return paths.flatMap((path) => [
    variant(say('missing-fields.leftOut', { kind: say(name), path }), path, undefined),
    variant(say('missing-fields.null', { kind: say(name), path }), path, null),
  ]);
}

/** Enough to see what they have in common. */
const MAX_NAMES = 4;

/** Sends each variant once more, with a count after each, to find out which are not acted on. */
async function withoutAction(
  session: Session,
  unit: number,
  variants: readonly Variant[],
): Promise<string[]> {
  const names: string[] = [];
  for (const { what, make } of variants) {
    const notification = await make();
    const { actions } = await session.watch(unit, () => session.send(what, notification));
    if (actions?.total === 0) names.push(what);
    if (names.length === MAX_NAMES) break;
  }
  return names;
}

/** Every field that has a value, the fields of objects included: `shopper`, `shopper.email`. */
function pathsOf(payload: object, prefix = ''): string[] {
  return Object.entries(payload).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null) return [];
    const path = prefix + name;
    return typeof value === 'object' ? [path, ...pathsOf(value, `${path}.`)] : [path];
  });
}

/** A field that is `undefined` is left out of the JSON. */
function replace(payload: object, [name = '', ...rest]: readonly string[], value: null | undefined): object {
  const inner: unknown = Reflect.get(payload, name);
  const isLast = rest.length === 0 || typeof inner !== 'object' || inner === null;
  return { ...payload, [name]: isLast ? value : replace(inner, rest, value) };
}
