import { type CAC, cac } from 'cac';
import { ConfigurationError } from '../../errors';
import { withoutPointer } from '../../errors/payments-error';
import { VERSION } from '../../version';
import { CliFailure, usageFailure } from './failure';
import { exitStatuses, notes, withoutTrailingSpace } from './help';
import { endWithReader } from './output';
import { sandboxCommand } from './sandbox-command';
import { trigger, triggerKinds } from './trigger';
import { verify } from './verify/verify';

const NAME = 'pix-automatic';

/** Runs the command line, and gives the status to end with. */
export async function runCommandLine(argv: string[]): Promise<number> {
  endWithReader();
  try {
    const program = define();
    const { options, args } = program.parse(argv, { run: false });
    if (options['help'] || (options['version'] && program.matchedCommand === undefined)) return 0;
    if (program.matchedCommand === undefined) {
      throw usageFailure(
        args.length === 0 ? 'Expected a command: sandbox, trigger or verify.' : 'There is no such command.',
      );
    }
    return await program.runMatchedCommand();
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): number {
  // The parser's own, about options and arguments, have no class that is exported.
  const isUsage =
    error instanceof ConfigurationError || (error instanceof Error && error.name === 'CACError');
  if (!isUsage && !(error instanceof CliFailure)) throw error;
  // Nothing is quoted of what should not be there: somebody may have tried to pass the credentials.
  const message = error.message.startsWith('Unused args') ? 'Expected no further arguments.' : error.message;
  // Of npx's cache nobody opens a page, and the help is named below.
  process.stderr.write(`${NAME}: ${withoutPointer(message)}\n`);
  const status = error instanceof CliFailure ? error.exitStatus : 2;
  if (status === 2) process.stderr.write(`Try: ${NAME} --help\n`);
  return status;
}

function define(): CAC {
  const program = cac(NAME);

  program
    .command('sandbox', "Run the service's stand-in on this machine, with a live log")
    .usage('sandbox [options]')
    .option('--port <n>', 'Port; 0 takes any free one (default: 4100)')
    .option('--host <name>', 'Address to listen on (default: 127.0.0.1)')
    .option('--webhook-url <url>', 'Where notifications go: https, or this machine')
    .option('--retry-interval <ms>', 'From a failed delivery to its retry (default: 60000)')
    .option('--json', 'Print the log as NDJSON: started, request, delivery, stopped')
    .example(`  $ ${NAME} sandbox --webhook-url http://127.0.0.1:3000/webhooks`)
    .example(`  $ ${NAME} sandbox --port 0 --retry-interval 500 --json`)
    .action(sandboxCommand);

  program
    .command('trigger <kind>', `Send a notification to a listener: ${triggerKinds.join(', ')}`)
    .usage('trigger <kind> --to <url> [options]')
    .option('--to <url>', "The listener's URL: https, or this machine")
    .option('--times <n>', 'Send so many different ones (default: 1)')
    .option('--duplicate', 'Send the same one each time, to try idempotency (twice without --times)')
    .option('--set <path=value>', 'Change a field of the payload; can be repeated')
    .option('--timeout <ms>', 'How long to wait for an answer (default: 30000)')
    .option('--json', 'Print one JSON document')
    .example(`  $ ${NAME} trigger payment --to http://127.0.0.1:3000/webhooks`)
    .example(`  $ ${NAME} trigger refund --to https://example.com/webhooks --times 3 --duplicate`)
    .example(`  $ ${NAME} trigger reversal --to http://127.0.0.1:3000/webhooks --set status=CANCELLED`)
    .action(trigger);

  program
    .command('verify', 'Run a checklist against your listener, and say what to fix')
    .usage('verify --to <url> [options]')
    .option('--to <url>', "The listener's URL: https, or this machine")
    .option('--effects <url>', 'Answers how many actions the listener has taken so far; see below')
    .option('--effects-wait <ms>', 'How long an action may take to be counted (default: 1000)')
    .option('--limit <ms>', 'How long an answer may take; made up, not documented (default: 5000)')
    .option('--json', 'Print one JSON document')
    .example(`  $ ${NAME} verify --to http://127.0.0.1:3000/webhooks`)
    .example(
      `  $ ${NAME} verify --to http://127.0.0.1:3000/webhooks --effects http://127.0.0.1:3000/actions-so-far`,
    )
    .action(verify);

  return program
    .help((sections) => {
      const { name = '', description } = program.matchedCommand ?? {};
      const [title, ...others] = sections.map(withoutTrailingSpace);
      const about = description === undefined ? [] : [{ body: description }];
      return [...(title ? [title] : []), ...about, ...others, ...(notes[name] ?? []), exitStatuses(name)];
    })
    .version(VERSION)
    .example(`  $ ${NAME} sandbox --webhook-url http://127.0.0.1:3000/webhooks`)
    .example(`  $ ${NAME} trigger payment --to http://127.0.0.1:3000/webhooks --duplicate`)
    .example(`  $ ${NAME} verify --to http://127.0.0.1:3000/webhooks`);
}
