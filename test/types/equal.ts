/** `true` only for identical types, including optional and readonly marks. */
export type Equal<A, B> = [A, B] extends [B, A] ? Identical<A, B> : false;
/** On its own, this does not tell `a?: string` from `a?: string | undefined`. */
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export function isTrue<_ extends true>(): void {}

/** Names whatever is left over. */
export function isNone<_ extends never>(): void {}

/** `true`, or what differs between an interface and its schema, for the compiler's message: the file, and the field. */
export type SameFields<Interface, Schema, File extends string> =
  Equal<Interface, Schema> extends true
    ? true
    : `${File}: ${[DifferentFields<Interface, Schema>] extends [never] ? 'its types differ' : DifferentFields<Interface, Schema>}`;
type DifferentFields<A, B> = {
  [Key in KeysOf<A> | KeysOf<B>]: Key extends KeysOf<A>
    ? Key extends KeysOf<B>
      ? Equal<FieldOf<A, Key>, FieldOf<B, Key>> extends true
        ? never
        :
            | `${Key} differs`
            | `${Key}.${DifferentFields<NonNullable<A[Key & keyof A]>, NonNullable<B[Key & keyof B]>>}`
      : `${Key} is missing in the schema`
    : `${Key} is missing in the interface`;
}[KeysOf<A> | KeysOf<B>];
/** Of each member of a union, too. */
type KeysOf<T> = T extends unknown ? keyof T & string : never;
type FieldOf<T, Key> = T extends unknown ? (Key extends keyof T ? Pick<T, Key> : never) : never;

type Primitive = string | number | boolean | null | undefined;
type KnownKeys<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: 1 };

/**
 * A type as plain objects at every depth, without the index signatures by which a schema keeps unknown fields.
 * `Record<string, unknown>`, an object without documented fields, is kept.
 */
export type Known<T> = T extends Primitive
  ? T
  : T extends readonly (infer Item)[]
    ? Known<Item>[]
    : T extends object
      ? string extends keyof T
        ? [KnownKeys<T>] extends [never]
          ? T
          : { [Key in keyof T as string extends Key ? never : Key]: Known<T[Key]> }
        : { [Key in keyof T]: Known<T[Key]> }
      : T;

/** Whether unknown names are allowed, so that a misspelt field would compile. */
export type HasIndex<T> = string extends keyof NonNullable<T> ? true : false;

// They find the differences that they must find.
isTrue<Equal<Equal<{ a?: string }, { a?: string | undefined }>, false>>();
isTrue<Equal<Equal<{ a: string }, { a?: string }>, false>>();
isTrue<Equal<Equal<{ a: string }, { a: string | null }>, false>>();
isTrue<Equal<Known<{ a: { b: 1; [name: string]: unknown }; [name: string]: unknown }>, { a: { b: 1 } }>>();
isTrue<Equal<Equal<Known<{ a: { b: 1; [name: string]: unknown } }>, { a: { c: 1 } }>, false>>();
isTrue<SameFields<{ a: { b: 1 } }, { a: { b: 1 } }, 'x.ts'>>();
isTrue<
  Equal<
    SameFields<{ a: { b: 1 }; c?: 2; e: 5 }, { a: { b: 3 }; c: 2; d?: 4 }, 'x.ts'>,
    | 'x.ts: a differs'
    | 'x.ts: a.b differs'
    | 'x.ts: c differs'
    | 'x.ts: d is missing in the interface'
    | 'x.ts: e is missing in the schema'
  >
>();
isTrue<
  Equal<
    SameFields<{ a: 1; b: 2; c: 3 } | { a: 2 }, { a: 1; b: 2 } | { a: 2 }, 'x.ts'>,
    'x.ts: c is missing in the schema'
  >
>();
isTrue<
  Equal<
    SameFields<{ a: 1; b: 2 } | { a: 3; b: 4 }, { a: 1; b: 4 } | { a: 3; b: 2 }, 'x.ts'>,
    'x.ts: its types differ'
  >
>();
isTrue<HasIndex<{ [name: string]: unknown }>>();
