/** Reports that a suite does not run because its server is missing. With CI_REQUIRE_SERVERS=1 it throws. */
export function reportMissing(server: string, variable: string): void {
  const message = `SKIPPED: ${server} does not answer. Start it, or set ${variable}.`;
  if (process.env['CI_REQUIRE_SERVERS'] === '1') throw new Error(message);
  console.warn(message);
}
