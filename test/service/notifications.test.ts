import {
  payoutPayloadSchema,
  refundPayloadSchema,
  reversalPayloadSchema,
  type Schema,
  salePayloadSchema,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import {
  failedPayoutPayload,
  payoutPayload,
  refundPayload,
  reversalPayload,
  salePayload,
} from '../webhooks/support';
import { type Field, pathsOf, types } from './fields';
import { failedPayoutFields, payoutFields, refundFields, reversalFields, saleFields } from './tables';

/** One row of a table of the document: the field's path, values it accepts, and values it does not accept. */
type Row = readonly [path: string, right: readonly unknown[], wrong: readonly unknown[]];

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface Table {
  readonly section: string;
  readonly schema: Schema<unknown>;
  readonly payload: () => object;
  readonly required: readonly Row[];
  readonly optional: readonly Row[];
}

/** Identities and states have rules of their own; anything else takes every value of its type. */
function rowOf({ path, type, required = false }: Field): Row {
  const { right, wrong } = types[type];
  if (path === 'refund') return [path, [{ uuid: 'r-1' }], wrong];
  if (!required || type !== 'string') return [path, right, wrong];
  if (/status$/i.test(path)) return [path, ['PAID', 'PENDING', 'A_STATE_OF_TOMORROW'], wrong];
  return [path, ['v-1', ' ', 'ç:%', 'x'.repeat(512)], ['', [], ...wrong]];
}

const tables: readonly Table[] = [
  { section: '6.2, sale', schema: salePayloadSchema, payload: salePayload, fields: saleFields },
  {
    section: '6.3, reversal',
    schema: reversalPayloadSchema,
    payload: reversalPayload,
    fields: reversalFields,
  },
  { section: '6.4, refund', schema: refundPayloadSchema, payload: refundPayload, fields: refundFields },
  {
    section: '6.5, payout that succeeded',
    schema: payoutPayloadSchema,
    payload: payoutPayload,
    fields: payoutFields,
  },
  {
    section: '6.5, payout that failed',
    schema: payoutPayloadSchema,
    payload: failedPayoutPayload,
    fields: failedPayoutFields,
  },
].map(({ fields, ...table }) => ({
  ...table,
  required: fields.filter(({ required }) => required).map(rowOf),
  optional: fields.filter(({ required }) => !required).map(rowOf),
}));

/** The payload with another value at a path. `undefined` leaves the field out. */
function withValue(payload: object, path: string, value: unknown): object {
  const copy = structuredClone(payload);
  const names = path.split('.');
  const last = names.pop() as string;
  const parent = names.reduce<Record<string, unknown>>(
    (at, name) => at[name] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

function validate({ schema }: Table, value: unknown) {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new Error('expected a synchronous schema');
  return result;
}

/** The issues of a refused value, or of the fields that were left out. */
const issuesOf = (table: Table, value: unknown): readonly Issue[] => {
  const { issues, leftOut } = validate(table, value) as { issues?: Issue[]; leftOut?: Issue[] };
  return issues ?? leftOut ?? [];
};

describe.each(tables)('document section $section', (table) => {
  const { payload, required, optional } = table;

  it('every documented field is in the tables of this test', () => {
    expect([...required, ...optional].map(([path]) => path).sort()).toEqual(pathsOf(payload()).sort());
  });

  it('the whole payload is accepted unchanged', () => {
    expect(validate(table, payload())).toEqual({ value: payload(), leftOut: [] });
  });

  describe.each([...required, ...optional])('%s', (path, right, wrong) => {
    it.each(right.map((value) => [value]))('accepts %j', (value) => {
      const given = withValue(payload(), path, value);
      expect(validate(table, given)).toEqual({ value: given, leftOut: [] });
    });

    const isRequired = required.some(([name]) => name === path);
    it.each(wrong.map((value) => [value]))('does not accept %o, and the issue says where', (value) => {
      const given = withValue(payload(), path, value);
      const result = validate(table, given) as { value?: object; issues?: Issue[]; leftOut?: Issue[] };
      const issues = (isRequired ? result.issues : result.leftOut) ?? [];
      expect(issues.length).toBeGreaterThan(0);
      for (const issue of issues) expect(issue.path).toEqual(path.split('.'));
      expect(issues[0]?.message).toMatch(
        isRequired
          ? /^expected (a non-empty string|an? [a-z]+|true or false)(, got (an? [a-z]+|another string))?$/
          : /^expected the documented type, got an? [a-z]+$/,
      );
      if (!isRequired) expect(result.value).toStrictEqual(withValue(payload(), path, undefined));
      expect(given).toEqual(withValue(payload(), path, value));
    });
  });

  it.each(required.map(([path]) => path))('%s is required and must not be null', (path) => {
    const [absent, ...others] = issuesOf(table, withValue(payload(), path, undefined));
    expect(absent).toMatchObject({ path: path.split('.') });
    expect(absent?.message).toMatch(/^required, /);
    expect(others).toEqual([]);
    expect(issuesOf(table, withValue(payload(), path, null))).toMatchObject([{ path: path.split('.') }]);
  });

  it.each(optional.map(([path]) => path))('%s may be absent or null', (path) => {
    const absent = withValue(payload(), path, undefined);
    expect(validate(table, absent)).toEqual({ value: absent, leftOut: [] });
    const isNull = withValue(payload(), path, null);
    expect(validate(table, isNull)).toEqual({ value: isNull, leftOut: [] });
  });

  it('nothing else is required', () => {
    const least = optional
      .filter(([path]) => !path.includes('.') || path.startsWith('refund.'))
      .reduce((value, [path]) => withValue(value, path, undefined), payload());
    expect(validate(table, least)).toEqual({ value: least, leftOut: [] });
  });

  it('fields that the document does not show are kept, at every depth', () => {
    const novel = { novel: { deep: [{ er: null }] }, constructor: { prototype: { polluted: 1 } } };
    const objects = [...required, ...optional]
      .map(([path]) => path)
      .filter((path) => ['bankDetails', 'shopper', 'sale', 'refund'].includes(path));
    const given = objects.reduce<object>(
      (value, path) => withValue(value, path, { ...Reflect.get(payload(), path), ...novel }),
      { ...payload(), ...novel },
    );
    expect(validate(table, given)).toEqual({ value: given, leftOut: [] });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('a field named __proto__ does not change the prototype of the payload', () => {
    const json = JSON.stringify(payload()).replaceAll('{', '{"__proto__":{"inherited":true},');
    const result = validate(table, JSON.parse(json)) as { value: Record<string, unknown> };
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Reflect.get(value, 'inherited')).toBeUndefined();
      for (const [name, field] of Object.entries(value)) if (name !== '__proto__') visit(field);
    };
    visit(result.value);
  });

  it('a __proto__ supplies no required field', () => {
    for (const [path] of required.filter(([path]) => !path.includes('.'))) {
      const given = withValue(payload(), path, undefined);
      const value = Reflect.get(payload(), path);
      const json = JSON.stringify(given).replace('{', `{"__proto__":{"${path}":${JSON.stringify(value)}},`);
      expect(issuesOf(table, JSON.parse(json))).toMatchObject([{ path: [path] }]);
    }
  });

  it.each([[null], [undefined], ['text'], [7], [[]]])('%j is refused as a payload', (value) => {
    expect(issuesOf(table, value)).not.toEqual([]);
  });
});

describe('the schemas of notifications', () => {
  it.each(tables.filter(({ section }) => !section.includes('sale')))(
    'read the text null as a receipt of null (section $section)',
    (table) => {
      const given = withValue(table.payload(), 'receipt', 'null');
      expect(validate(table, given)).toEqual({ value: withValue(given, 'receipt', null), leftOut: [] });
      // Only this exact text, because a receipt may have a similar name.
      const nullish = withValue(given, 'receipt', 'NULL');
      expect(validate(table, nullish)).toEqual({ value: nullish, leftOut: [] });
    },
  );

  const refunds = tables.find(({ schema }) => schema === refundPayloadSchema) as Table;

  it.each([
    [10, 10.5],
    [10, undefined],
    [undefined, 10.5],
    [0, null],
    [null, 10.5],
    [undefined, undefined],
  ])('keep the refund amounts %j and %j as sent, and make neither from the other', (reversed, refunded) => {
    const given = withValue(
      withValue(refundPayload(), 'reversedAmount', reversed),
      'amountRefunded',
      refunded,
    );
    const { value } = validate(refunds, given) as { value: object };
    expect(value).toEqual(given);
    expect(Object.hasOwn(value, 'reversedAmount')).toBe(reversed !== undefined);
    expect(Object.hasOwn(value, 'amountRefunded')).toBe(refunded !== undefined);
  });

  it('keep an error_code of a payout that succeeded', () => {
    const given = { ...payoutPayload(), error_code: null };
    expect(payoutPayloadSchema['~standard'].validate(given)).toEqual({ value: given, leftOut: [] });
  });
});

describe('a field that identifies a notification or holds its state', () => {
  const textRows = tables.flatMap((table) =>
    table.required
      .filter(([, right]) => typeof right[0] === 'string')
      .map(([path]) => [path, table] as const),
  );

  it.each(textRows)(
    '%s may have at most 512 characters, and not U+FFFD, which replaces bytes that are not UTF-8 (row %$)',
    (path, table) => {
      const longest = withValue(table.payload(), path, 'x'.repeat(512));
      expect(validate(table, longest)).toEqual({ value: longest, leftOut: [] });
      expect(validate(table, withValue(table.payload(), path, 'x'.repeat(513)))).toEqual({
        issues: [{ path: path.split('.'), message: 'expected at most 512 characters' }],
      });
      // As JavaScript counts them: an emoji is two.
      const emoji = withValue(table.payload(), path, '😀'.repeat(256));
      expect(validate(table, emoji)).toEqual({ value: emoji, leftOut: [] });
      expect(validate(table, withValue(table.payload(), path, '😀'.repeat(257)))).toEqual({
        issues: [{ path: path.split('.'), message: 'expected at most 512 characters' }],
      });
      expect(issuesOf(table, withValue(table.payload(), path, 'v-\uFFFD'))).toMatchObject([
        { path: path.split('.'), message: expect.stringContaining('U+FFFD') },
      ]);
    },
  );

  it('has these limits, but other text may be longer and have U+FFFD', () => {
    const given = { ...refundPayload(), reason: `\uFFFD${'x'.repeat(600)}` };
    expect(refundPayloadSchema['~standard'].validate(given)).toEqual({ value: given, leftOut: [] });
  });
});

describe('issues name the field and the expectation, never the value', () => {
  const marked = 'CPF 529.982.247-25';

  function underHostileConfig(): void {
    const before = z.config().customError;
    z.config({ customError: ({ input }) => `refused ${JSON.stringify(input)}` });
    onTestFinished(() => void z.config({ customError: before }));
  }

  it.each([false, true])('with a host whose zod quotes values: %j', (hostile) => {
    if (hostile) underHostileConfig();
    for (const table of tables) {
      for (const [path] of [...table.required, ...table.optional]) {
        for (const wrong of [{ [marked]: marked }, [marked], marked]) {
          const issues = issuesOf(table, withValue(table.payload(), path, wrong));
          expect(JSON.stringify(issues)).not.toContain('529');
          expect(JSON.stringify(issues)).not.toContain('refused');
        }
      }
    }
  });

  it('the hostile host really quotes the value in messages made without our error map', () => {
    underHostileConfig();
    const { error } = z.safeParse(z.number(), marked);
    expect(error?.issues[0]?.message).toContain(marked);
  });
});
