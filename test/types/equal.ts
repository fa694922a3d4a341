/** `true` only for identical types, including optional and readonly marks. */
export type Equal<A, B> = [A, B] extends [B, A] ? Identical<A, B> : false;
/** On its own, this does not tell `a?: string` from `a?: string | undefined`. */
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export function isTrue<_ extends true>(): void {}

/** `true`, or the paths of the fields that differ, for the compiler's message to name. */
export type SameFields<A, B> = Equal<A, B> extends true ? true : DifferentFields<A, B>;
type DifferentFields<A, B> = {
  [Key in (keyof A | keyof B) & string]-?: Key extends keyof A & keyof B
    ? Equal<Pick<A, Key>, Pick<B, Key>> extends true
      ? never
      : Key | `${Key}.${DifferentFields<NonNullable<A[Key]>, NonNullable<B[Key]>>}`
    : Key;
}[(keyof A | keyof B) & string];

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
isTrue<SameFields<{ a: { b: 1 } }, { a: { b: 1 } }>>();
isTrue<Equal<SameFields<{ a: { b: 1 }; c?: 2 }, { a: { b: 3 }; c: 2; d?: 4 }>, 'a' | 'a.b' | 'c' | 'd'>>();
isTrue<HasIndex<{ [name: string]: unknown }>>();
