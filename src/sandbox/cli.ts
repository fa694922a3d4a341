#!/usr/bin/env node
import { runCommandLine } from './cli/program';

runCommandLine(process.argv).then((status) => {
  // Not `process.exit`: what was printed may still be on its way to a pipe.
  process.exitCode = status;
});
