/**
 * Copies the options that the caller gave. Only own properties count, and the copy has no prototype, so that a
 * polluted `Object.prototype` (`timeoutMs`, `signal`, `extraFields`) adds nothing.
 *
 * @param options - `undefined` and `null` mean no options
 */
export function ownOptions<Options extends object>(options: Options | null | undefined): Options {
  return Object.assign(Object.create(null), options);
}
