/** JSON as it is written, not as JavaScript reads it: with the spelling of numbers, `__proto__` and repeated keys. */
export type Json =
  | { readonly kind: 'object'; readonly fields: ReadonlyArray<readonly [name: string, value: Json]> }
  | { readonly kind: 'array'; readonly items: readonly Json[] }
  | { readonly kind: 'literal'; readonly text: string };

export type Path = ReadonlyArray<string | number>;

export function toJson(value: unknown): Json {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toJson) };
  if (typeof value === 'object' && value !== null) {
    return {
      kind: 'object',
      fields: Object.entries(value).map(([name, field]) => [name, toJson(field)] as const),
    };
  }
  return { kind: 'literal', text: writeLiteral(value) };
}

/** Like JSON.stringify, except that JSON.parse reads every number back as the same number. */
function writeLiteral(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  return Object.is(value, -0) ? '-0' : (JSON.stringify(value) ?? 'null');
}

/** The parts of the spelling that make no difference: white space, the order of keys. */
export interface Style {
  readonly space: string;
  /** Rotates the fields of each object by this many places. */
  readonly turn: number;
}

const PLAIN: Style = { space: '', turn: 0 };

export function write(json: Json, style: Style = PLAIN): string {
  const { space, turn } = style;
  switch (json.kind) {
    case 'literal':
      return space + json.text + space;
    case 'array':
      return `[${json.items.map((item) => write(item, style)).join(',')}${space}]`;
    case 'object': {
      const places = json.fields.length === 0 ? 0 : turn % json.fields.length;
      const fields = [...json.fields.slice(places), ...json.fields.slice(0, places)];
      const texts = fields.map(
        ([name, value]) => `${space}${JSON.stringify(name)}${space}:${write(value, style)}`,
      );
      return `{${texts.join(',')}${space}}`;
    }
  }
}

/** The paths of all values, including the whole. */
export function pathsOf(json: Json): Path[] {
  const below =
    json.kind === 'object'
      ? json.fields.flatMap(([name, value]) => pathsOf(value).map((path) => [name, ...path]))
      : json.kind === 'array'
        ? json.items.flatMap((item, index) => pathsOf(item).map((path) => [index, ...path]))
        : [];
  return [[], ...below];
}

/** The value with the part at a path replaced. `undefined` as the replacement removes the part. */
export function replaceAt(json: Json, path: Path, replace: (json: Json) => Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return replace(json) ?? { kind: 'literal', text: 'null' };
  const inner = (child: Json) => (rest.length === 0 ? replace(child) : replaceAt(child, rest, replace));
  if (json.kind === 'object') {
    const fields = json.fields.flatMap(([name, value]) => {
      const replaced = name === step ? inner(value) : value;
      return replaced === undefined ? [] : [[name, replaced] as const];
    });
    return { kind: 'object', fields };
  }
  if (json.kind === 'array') {
    const items = json.items.flatMap((item, index) => (index === step ? (inner(item) ?? []) : item));
    return { kind: 'array', items };
  }
  return json;
}
