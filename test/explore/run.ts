import { bundle } from './library';
import { scenarios } from './scenarios';
import { explore } from './search';
import { Seat } from './world/seat';

Error.stackTraceLimit = 0;
const program = await bundle('src');
const seat = new Seat();
const library = program(seat.runtime);
for (const scenario of scenarios(library)) {
  const result = await explore(scenario, seat, { until: performance.now() + Number(process.argv[3] ?? 60) * 1000, without: new Set((process.argv[2]??'').split(',')) as never });
  console.log(scenario.name, { ...result, finding: undefined });
  if (result.finding) { console.log(result.finding.violation); console.log(result.finding.trace.join('\n')); }
}
