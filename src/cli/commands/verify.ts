import { createInterface } from 'node:readline';
import { redactor } from '../../sandbox/credentials';
import { type Call, type Command, insecureHttpOption, type Options, section } from '../command';
import { credentialsFromEnvironment, parseHttpUrl, parseTarget, type Target } from '../credentials';
import { CliFailure, failure, usageFailure } from '../failure';
import { listed } from '../format';
import { print, wrap } from '../output';
import { connectSandbox, type SandboxClient } from '../sandbox-client';
import { Effects } from '../verify/effects';
import { bookedKinds, isBookedKind } from '../verify/judge';
import { endOf, terminalProgress } from '../verify/report';
import { DEFAULT_LIMIT_MS, runVerify } from '../verify/run';
import { withoutTrace } from '../verify/without-trace';
import { line } from '../visible';

/** What a listener needs for `--effects`. */
export const effectsCode = [
  "import { createServer } from 'node:http';",
  'const rows: { kind: string; subject: string; amount: number }[] = [];',
  '// Call it at the end of each callback, with the UUID of the sale, or of the refund, reversal or payout itself.',
  'export const book = (kind: string, subject: string, amount: number) => void rows.push({ kind, subject, amount });',
  "createServer((_request, response) => response.end(JSON.stringify(rows))).listen(3001, '127.0.0.1');",
];

export const verify: Command = {
  name: 'verify',
  summary: 'Send your listener a script of notifications, and report what it books wrong',
  arguments: [{ name: 'listener URL', isRequired: false }],
  options: {
    to: { value: 'url', about: 'The listener, instead of the argument: https, or this machine' },
    sandbox: { value: 'url', about: 'Use real sales of this running sandbox; see below' },
    shop: { value: 'url', about: 'Where a POST creates an order in your shop, with its journey; see below' },
    effects: {
      value: 'url',
      about: 'A URL that answers the rows that the listener has booked; see below',
    },
    'effects-wait': { value: 'ms', about: 'How long a row may take to come (default: 1000)' },
    limit: {
      value: 'ms',
      about: 'How long a response may take; the service documents no limit (default: 5000)',
    },
    kinds: {
      value: 'name',
      about: 'The kinds that your listener books, with commas (default: those that it is seen to book)',
    },
    restart: { about: 'Ask for a restart of the listener near the end, and check what it still knows' },
    partial: { about: 'Accept that some steps could not run: exit code 0 instead of 3' },
    'allow-insecure-http': insecureHttpOption,
  },
  examples: [
    'verify http://127.0.0.1:3000/webhooks --sandbox http://127.0.0.1:4100 --partial',
    'verify http://127.0.0.1:3000/webhooks --effects http://127.0.0.1:3001 --sandbox http://127.0.0.1:4100',
  ],
  notes: () => [
    section(
      'Real sales',
      'A listener that confirms payments with the service is right to refuse sales that exist nowhere. Start the sandbox, point the client of the listener at it, and pass --sandbox: each sale is then created and paid there. If the listener looks up its own orders, pass --shop, too: the URL of your shop where a POST creates an order and its journey. The body is {"referenceCode": "…", "amount": 19.99}, but the shop may choose others. verify finds the journey in the sandbox.',
    ),
    section(
      'Effects',
      'Responses do not show whether a listener booked once, twice or never. In a test environment that gets no other notifications, let a URL answer GET with a row for each thing that is booked, from where it is durable, such as SELECT kind, subject, amount FROM …:',
      ...effectsCode.map((line) => `  ${line}`),
      line`The kinds are ${listed(bookedKinds)}; other kinds are your own. The subject is the \`saleToken\`, \`refund.uuid\` or \`uuid\`, or the reference code; the amount is in the main unit. What a row leaves out cannot be judged, and neither can counts such as {"payment": 3}. A listener with an inbox and a worker adds a row of kind \`inbox\` first. No credentials are sent there. Without --effects, the steps that need it are not checked.`,
    ),
  ],
  exitCodes: [
    'every step ran and held',
    'a step failed',
    'called wrongly, or it could not begin: the listener, the sandbox or --effects did not answer',
    'no step failed, and some could not run (0 with --partial)',
  ],
  async run(call) {
    const { options, json } = call;
    const target = listenerOf(call);
    const settings = {
      limitMs: options.integer('limit', { least: 1, most: 600_000 }) ?? DEFAULT_LIMIT_MS,
      effects: effectsOf(options),
      sandbox: options.has('sandbox') ? connectSandbox(options) : undefined,
      shop: shopOf(options),
      kinds: kindsOf(options),
      restart: options.has('restart') ? askForRestart : undefined,
    };
    const { credentials, source } = credentialsFromEnvironment(target.isDevelopment);
    const to = redactor(credentials)(target.url);
    await checkBeforehand(settings.effects, settings.sandbox);

    if (!json) {
      print(
        source === 'environment'
          ? line`Checking ${to} with the credentials of the environment.`
          : line`Checking ${to} with the sandbox's own credentials, because PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are not set.`,
      );
      if (settings.sandbox === undefined) {
        const advice =
          'Without --sandbox, the sales are made up, and a listener that confirms payments refuses them. Start `npx pix-automatic-sdk sandbox`, point the client of the listener at it (PAYMENTS_BASE_URL), and pass --sandbox http://127.0.0.1:4100.';
        print(`\n${wrap(advice, 110).join('\n')}`);
      }
      if (settings.effects === undefined) {
        const advice =
          'Without --effects, most steps cannot be judged: responses do not show what a listener books. Add to the listener, and pass --effects http://127.0.0.1:3001:';
        print(`\n${[...wrap(advice, 110), '', ...effectsCode.map((line) => `  ${line}`)].join('\n')}`);
      }
    }
    const report = await withoutTrace(settings.sandbox, (setAside, hold) => {
      if (!json && setAside > 0)
        print(
          `\n${line`Armed faults of the sandbox that are set aside meanwhile, and put back afterwards: ${setAside}.`}`,
        );
      if (!json) print();
      return runVerify({ ...settings, url: target.url, credentials, hold }, json ? {} : terminalProgress);
    });
    return endOf(report, { to, credentials: source }, options.has('partial'));
  },
};

function listenerOf({ args, options }: Call): Target {
  const [url] = args;
  const to = options.text('to');
  if (url !== undefined && to !== undefined)
    throw usageFailure('Expected the listener once: as an argument or with `--to`.');
  const text = url ?? to;
  if (text === undefined)
    throw usageFailure('Expected the URL of your listener, such as http://127.0.0.1:3000/webhooks.');
  const name = url === undefined ? '--to' : 'listener URL';
  return parseTarget(name, text, options.has('allow-insecure-http'));
}

function effectsOf(options: Options): Effects | undefined {
  const waitMs = options.integer('effects-wait', { least: 1, most: 600_000 }) ?? 1_000;
  const text = options.text('effects');
  return text === undefined ? undefined : new Effects(parseHttpUrl('--effects', text), waitMs);
}

function kindsOf(options: Options): string[] | undefined {
  const kinds = options
    .text('kinds')
    ?.split(',')
    .map((kind) => kind.trim());
  const wrong = kinds?.find((kind) => !isBookedKind(kind));
  if (wrong !== undefined || kinds?.includes('payment') === false)
    throw usageFailure(
      line`Expected \`--kinds\` to name \`payment\`, and of ${bookedKinds.join(',')} those that the listener books, with commas.`,
    );
  return kinds;
}

/** Waits for a line, from a terminal or from whatever else writes to this process. */
async function askForRestart(): Promise<void> {
  process.stderr.write(`\nRestart your listener now, and press Enter when it answers again.\n`);
  const lines = createInterface({ input: process.stdin });
  try {
    const { done } = await lines[Symbol.asyncIterator]().next();
    if (done)
      throw failure('nobody pressed Enter: --restart needs a terminal, or a line on its standard input');
  } finally {
    lines.close();
    process.stdin.unref();
  }
}

function shopOf(options: Options): URL | undefined {
  const text = options.text('shop');
  if (text === undefined) return undefined;
  if (!options.has('sandbox'))
    throw usageFailure(
      'Expected `--sandbox` with `--shop`: the journeys of your shop are looked up in that sandbox.',
    );
  return parseHttpUrl('--shop', text);
}

/** Finds a wrong `--effects`, or a sandbox that is not running, before anything is sent. */
async function checkBeforehand(
  effects: Effects | undefined,
  sandbox: SandboxClient | undefined,
): Promise<void> {
  try {
    await effects?.read();
    await sandbox?.faults();
  } catch (error) {
    throw error instanceof CliFailure ? new CliFailure(2, error.message) : error;
  }
}
