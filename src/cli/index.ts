#!/usr/bin/env node
import { runCommandLine } from './program';

runCommandLine(process.argv.slice(2)).then((exitCode) => {
  // Not `process.exit`: it would cut off output that is still on its way to a pipe.
  process.exitCode = exitCode;
});
