import type { Hunted } from './faults/fault';
import type { Explored, Finding } from './search';
import { INVARIANTS } from './world/ledger';

export function printScenario(name: string, explored: Explored): void {
  const { states, steps, paths, ends, longest, ms, isComplete, finding } = explored;
  const extent = isComplete ? 'all of them' : 'as far as the time went';
  console.log(
    `${name}\n    ${count(states)} states, ${count(steps)} steps, ${count(paths)} interleavings (${extent}), ` +
      `${count(ends)} ends, up to ${longest} steps long, ${seconds(ms)}`,
  );
  if (finding !== undefined) printFinding(finding);
}

/** Prints the violation with the shortest path to it. */
export function printFinding({ scenario, violation, trace }: Finding): void {
  const { invariant, message } = violation;
  console.log(`\nVIOLATION in "${scenario}": ${message}`);
  console.log(`    It must hold that ${INVARIANTS[invariant]} ("${invariant}"). The shortest way to it:\n`);
  console.log(`${trace.join('\n')}\n`);
}

export function printHunt({ fault, explored }: Hunted): void {
  const { finding, states, ms, isComplete } = explored;
  const how = `${count(states)} states, ${seconds(ms)}`;
  if (finding !== undefined) {
    const steps = finding.trace.length;
    console.log(
      `found      ${fault.name.padEnd(72)} ${steps} steps: ${finding.violation.invariant} (${how})`,
    );
  } else {
    console.log(`NOT FOUND  ${fault.name} (${how}${isComplete ? '' : ', not all'})`);
  }
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
