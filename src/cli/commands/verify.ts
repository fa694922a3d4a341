import { redactor } from '../../sandbox/credentials';
import { documentedKinds } from '../../service/notifications';
import { type Call, type Command, insecureHttpOption, type Options, section } from '../command';
import { credentialsFromEnvironment, parseHttpUrl, parseTarget, type Target } from '../credentials';
import { CliFailure, usageFailure } from '../failure';
import { listed, say } from '../language';
import { print, wrap } from '../output';
import { connectSandbox, type SandboxClient } from '../sandbox-client';
import { Effects } from '../verify/effects';
import { endOf, terminalProgress } from '../verify/report';
import { DEFAULT_LIMIT_MS, runChecklist, withoutFaults } from '../verify/run-checklist';

/** What a listener needs for `--effects`. */
export const effectsCode = [
  "import { createServer } from 'node:http';",
  'const done: Record<string, number> = {};',
  'export const count = (kind: string) => void (done[kind] = (done[kind] ?? 0) + 1); // call it at the end of each callback',
  "createServer((_request, response) => response.end(JSON.stringify(done))).listen(3001, '127.0.0.1');",
];

export const verify: Command = {
  name: 'verify',
  summary: 'Run a checklist against your listener, and tell what to fix',
  arguments: [{ name: 'listener URL', isRequired: false }],
  options: {
    to: { value: 'url', about: 'The listener, instead of the argument: https, or this machine' },
    sandbox: { value: 'url', about: 'Use real sales of this running sandbox; see below' },
    shop: { value: 'url', about: 'Where a POST creates an order in your shop, with its journey; see below' },
    effects: {
      value: 'url',
      about: 'A URL that answers how many actions the listener has taken so far; see below',
    },
    'effects-wait': { value: 'ms', about: 'How long an action may take to be counted (default: 1000)' },
    limit: {
      value: 'ms',
      about: 'How long a response may take; the service documents no limit (default: 5000)',
    },
    partial: { about: 'Accept that some checks could not run: exit code 0 instead of 3' },
    'allow-insecure-http': insecureHttpOption,
  },
  examples: [
    'verify http://127.0.0.1:3000/webhooks --sandbox http://127.0.0.1:4100 --partial',
    'verify http://127.0.0.1:3000/webhooks --effects http://127.0.0.1:3001 --sandbox http://127.0.0.1:4100',
  ],
  notes: () => [
    section(
      'Real sales',
      say(
        'A listener that confirms payments with the service is right to refuse sales that exist nowhere. Start the sandbox, point the client of the listener at it, and pass --sandbox: each sale is then created and paid there. If the listener looks up its own orders, pass --shop, too: the URL of your shop where a POST creates an order and its journey. The body is {"referenceCode": "…"}, but the shop may choose another reference code. verify finds the journey in the sandbox.',
      ),
    ),
    section(
      'Effects',
      say(
        'Responses do not show whether a listener acted once, twice or never. In a test environment that gets no other notifications, let a URL answer GET with how much it has durably done so far, by kind:',
      ),
      ...effectsCode.map((line) => `  ${line}`),
      say(
        'The names are {list}. A listener with an inbox and a worker counts the rows of its inbox as `inbox`. No credentials are sent there. Without --effects, the checks that need it are reported as not checked.',
        { list: listed(documentedKinds.map(({ kind }) => kind)) },
      ),
    ),
  ],
  exitCodes: [
    'every check ran and passed',
    'a check failed',
    'called wrongly, or it could not begin: the listener, the sandbox or --effects did not answer',
    'no check failed, and some could not run (0 with --partial)',
  ],
  async run(call) {
    const { options, json } = call;
    const target = listenerOf(call);
    const settings = {
      limitMs: options.integer('limit', { least: 1, most: 600_000 }) ?? DEFAULT_LIMIT_MS,
      effects: effectsOf(options),
      sandbox: options.has('sandbox') ? connectSandbox(options) : undefined,
      shop: shopOf(options),
    };
    const { credentials, source } = credentialsFromEnvironment(target.isDevelopment);
    const to = redactor(credentials)(target.url);
    await checkBeforehand(settings.effects, settings.sandbox);

    if (!json) {
      print(
        source === 'environment'
          ? say('Checking {to} with the credentials of the environment.', { to })
          : say(
              "Checking {to} with the sandbox's own credentials, because PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are not set.",
              { to },
            ),
      );
      if (settings.sandbox === undefined) {
        const advice = say(
          'Without --sandbox, the sales are made up, and a listener that confirms payments refuses them. Start `npx pix-automatic-sdk sandbox`, point the client of the listener at it (PAYMENTS_BASE_URL), and pass --sandbox http://127.0.0.1:4100.',
        );
        print(`\n${wrap(advice, 110).join('\n')}`);
      }
      if (settings.effects === undefined) {
        const advice = say(
          'Without --effects, half of the checks cannot run: responses do not show whether a listener acts. Add to the listener, and pass --effects http://127.0.0.1:3001:',
        );
        print(`\n${[...wrap(advice, 110), '', ...effectsCode.map((line) => `  ${line}`)].join('\n')}`);
      }
    }
    const checks = await withoutFaults(settings.sandbox, (setAside) => {
      if (!json && setAside > 0) {
        print(
          `\n${say('Armed faults of the sandbox that are set aside meanwhile, and put back afterwards: {count}.', { count: setAside })}`,
        );
      }
      if (!json) print();
      return runChecklist({ ...settings, url: target.url, credentials }, json ? {} : terminalProgress);
    });
    return endOf(checks, { to, credentials: source }, options.has('partial'));
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
  const name = url === undefined ? '--to' : say('listener URL');
  return parseTarget(name, text, options.has('allow-insecure-http'));
}

function effectsOf(options: Options): Effects | undefined {
  const waitMs = options.integer('effects-wait', { least: 1, most: 600_000 }) ?? 1_000;
  const text = options.text('effects');
  return text === undefined ? undefined : new Effects(parseHttpUrl('--effects', text), waitMs);
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
    await effects?.count();
    await sandbox?.deliveries();
  } catch (error) {
    throw error instanceof CliFailure ? new CliFailure(2, error.message) : error;
  }
}
