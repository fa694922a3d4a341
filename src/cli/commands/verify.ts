import { createInterface } from 'node:readline';
import { redactor } from '../../sandbox/credentials';
import { type Call, type Command, insecureHttpOption, type Options, section } from '../command';
import { credentialsFromEnvironment, parseHttpUrl, parseTarget, type Target } from '../credentials';
import { CliFailure, failure, usageFailure } from '../failure';
import { listed, say } from '../language';
import { print, wrap } from '../output';
import { connectSandbox, type SandboxClient } from '../sandbox-client';
import { Effects } from '../verify/effects';
import { bookedKinds, isBookedKind } from '../verify/judge';
import { endOf, terminalProgress } from '../verify/report';
import { DEFAULT_LIMIT_MS, runVerify } from '../verify/run';
import { withoutTrace } from '../verify/without-trace';

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
  summary: 'verify.summary',
  arguments: [{ name: 'value.listener', isRequired: false }],
  options: {
    to: { value: 'value.url', about: 'verify.to' },
    sandbox: { value: 'value.url', about: 'verify.sandbox' },
    shop: { value: 'value.url', about: 'verify.shop' },
    effects: {
      value: 'value.url',
      about: 'verify.effects',
    },
    'effects-wait': { value: 'value.ms', about: 'verify.effectsWait' },
    limit: {
      value: 'value.ms',
      about: 'verify.limit',
    },
    kinds: { value: 'value.name', about: 'verify.kinds' },
    restart: { about: 'verify.restart' },
    partial: { about: 'verify.partial' },
    'allow-insecure-http': insecureHttpOption,
  },
  examples: [
    'verify http://127.0.0.1:3000/webhooks --sandbox http://127.0.0.1:4100 --partial',
    'verify http://127.0.0.1:3000/webhooks --effects http://127.0.0.1:3001 --sandbox http://127.0.0.1:4100',
  ],
  notes: () => [
    section('verify.realSales', say('verify.realSalesHow')),
    section(
      'verify.effectsTitle',
      say('verify.effectsHow'),
      ...effectsCode.map((line) => `  ${line}`),
      say('verify.effectsNames', { list: listed(bookedKinds) }),
    ),
  ],
  exitCodes: ['verify.exit0', 'verify.exit1', 'verify.exit2', 'verify.exit3'],
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
        source === 'environment' ? say('verify.withEnvironment', { to }) : say('verify.withDefault', { to }),
      );
      if (settings.sandbox === undefined) {
        const advice = say('verify.withoutSandbox');
        print(`\n${wrap(advice, 110).join('\n')}`);
      }
      if (settings.effects === undefined) {
        const advice = say('verify.withoutEffects');
        print(`\n${[...wrap(advice, 110), '', ...effectsCode.map((line) => `  ${line}`)].join('\n')}`);
      }
    }
    const report = await withoutTrace(settings.sandbox, (setAside, hold) => {
      if (!json && setAside > 0) print(`\n${say('verify.faultsAside', { count: setAside })}`);
      if (!json) print();
      return runVerify({ ...settings, url: target.url, credentials, hold }, json ? {} : terminalProgress);
    });
    return endOf(report, { to, credentials: source }, options.has('partial'));
  },
};

function listenerOf({ args, options }: Call): Target {
  const [url] = args;
  const to = options.text('to');
  if (url !== undefined && to !== undefined) throw usageFailure('verify.listenerTwice');
  const text = url ?? to;
  if (text === undefined) throw usageFailure('verify.noListener');
  const name = url === undefined ? '--to' : say('value.listener');
  return parseTarget(name, text, options.has('allow-insecure-http'));
}

function effectsOf(options: Options): Effects | undefined {
  const waitMs = options.integer('effects-wait', { least: 1, most: 600_000 }) ?? 1_000;
  const text = options.text('effects');
  return text === undefined ? undefined : new Effects(parseHttpUrl('--effects', text), waitMs);
}

function kindsOf(options: Options): string[] | undefined {
  const kinds = options.text('kinds')?.split(',');
  const wrong = kinds?.find((kind) => !isBookedKind(kind));
  if (wrong !== undefined || kinds?.includes('payment') === false)
    throw usageFailure('verify.wrongKinds', { list: bookedKinds.join(',') });
  return kinds;
}

/** Waits for a line, from a terminal or from whatever else writes to this process. */
async function askForRestart(): Promise<void> {
  process.stderr.write(`\n${say('run.restartAsk')}\n`);
  const lines = createInterface({ input: process.stdin });
  try {
    const { done } = await lines[Symbol.asyncIterator]().next();
    if (done) throw failure('run.restartNobody');
  } finally {
    lines.close();
    process.stdin.unref();
  }
}

function shopOf(options: Options): URL | undefined {
  const text = options.text('shop');
  if (text === undefined) return undefined;
  if (!options.has('sandbox')) throw usageFailure('verify.shopAlone');
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
