/** Says that a suite does not run for want of its server; with CI_REQUIRE_SERVERS=1 that is a failure. */
export function reportMissing(server: string, variable: string): void {
  const message = `SKIPPED: ${server} does not answer. Start it, or set ${variable}.`;
  if (process.env['CI_REQUIRE_SERVERS'] === '1') throw new Error(message);
  console.warn(message);
}
