import { redactor } from '../../redact';
import { credentialsFromEnvironment } from '../credentials';
import { CliFailure } from '../failure';
import { isSet, numberOption, type RawOptions, requiredOption, textOption } from '../options';
import { print, printJson } from '../output';
import { parseHttpUrl, parseTarget } from '../target';
import { Effects } from './effects';
import { reportLines, tally } from './report';
import { runChecklist } from './run-checklist';
import { Session } from './session';

/** Runs the checklist against a listener. */
export async function verify(options: RawOptions): Promise<number> {
  const target = parseTarget('--to', requiredOption(options, 'to'));
  const limitMs = numberOption(options, 'limit', { least: 1, most: 600_000, otherwise: 5_000 });
  const waitMs = numberOption(options, 'effectsWait', { least: 1, most: 600_000, otherwise: 1_000 });
  const effectsUrl = textOption(options, 'effects');
  const effects =
    effectsUrl === undefined ? undefined : new Effects(parseHttpUrl('--effects', effectsUrl), waitMs);
  const chosen = credentialsFromEnvironment(target.isLoopback);
  const json = isSet(options, 'json');
  await checkBeforehand(effects);

  const to = redactor(chosen.credentials)(target.url);
  if (!json) print(`Checking ${to} with ${pairs[chosen.source]}.\n`);
  const session = new Session({ target, chosen, limitMs, effects });
  const checks = await runChecklist(session, (result) => {
    if (!json) print(reportLines(result));
  });

  const counts = tally(checks);
  const ok = counts.failed === 0;
  if (json) {
    const { passed, failed, 'not-checked': notChecked } = counts;
    printJson({ to, credentials: chosen.source, ok, passed, failed, notChecked, checks }, 2);
  } else {
    const parts = Object.entries(counts).filter(([, count]) => count > 0);
    print(`\n${parts.map(([verdict, count]) => `${count} ${verdict.replace('-', ' ')}`).join(', ')}.`);
  }
  return ok ? 0 : 1;
}

const pairs = {
  environment: 'the credentials of the environment',
  'sandbox-default':
    "the sandbox's own credentials, because PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are not set",
};

/** A wrong `--effects` is found before anything is sent. */
async function checkBeforehand(effects: Effects | undefined): Promise<void> {
  try {
    await effects?.count();
  } catch (error) {
    throw error instanceof CliFailure ? new CliFailure(2, error.message) : error;
  }
}
