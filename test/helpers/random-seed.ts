import fc from 'fast-check';

/**
 * The seed of everything random in a test file. It is printed, so that a failure can be repeated with `TEST_SEED=123
 * npx vitest run test/values`.
 */
export function seedRandomTests(): number {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`TEST_SEED=${seed}`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
  return seed;
}
