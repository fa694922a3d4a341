#!/usr/bin/env node
import { runCommandLine } from './program';

runCommandLine(process.argv.slice(2)).then((exitCode) => {
  // Not `process.exit`: what was printed may still be on its way to a pipe.
  process.exitCode = exitCode;
});
