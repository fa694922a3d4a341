import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PaymentsErrorCode } from '../../src/errors';
import * as common from '../../src/errors';
import { withoutPointer } from '../../src/errors/payments-error';
import * as ofOrders from '../../src/orders/errors';
import { runCommand } from '../helpers/run-command';
import { makers, names } from './makers';

afterEach(() => vi.unstubAllGlobals());

const errors = { ...common, ...ofOrders };
const page = 'docs/errors.md';
const sections = new Map(
  readFileSync(page, 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading, lines.join('\n')];
    }),
);

/** Written by hand with this type, so that `tsc` fails when a new code is missing. */
const classes: Record<PaymentsErrorCode, (typeof names)[number]> = {
  configuration: 'ConfigurationError',
  invalid_request: 'InvalidRequestError',
  api_error: 'ApiError',
  invalid_response: 'InvalidResponseError',
  connection_failed: 'ConnectionError',
  timeout: 'TimeoutError',
  aborted: 'AbortedError',
  webhook_authentication_failed: 'WebhookAuthenticationError',
  invalid_notification: 'InvalidNotificationError',
  store_failed: 'StoreError',
  order_busy: 'OrderBusyError',
  order_conflict: 'OrderConflictError',
};

describe('the page about errors', () => {
  it('has a section for each code, with the code as its heading, and no other section', () => {
    expect([...sections.keys()].sort()).toEqual(Object.keys(classes).sort());
  });

  it.each(Object.entries(classes))('says beside the code %s its class and its outcome', (code, name) => {
    const row = readFileSync(page, 'utf8')
      .split('\n')
      .find((line) => line.includes(`[\`${code}\`](#${code})`));
    expect(row).toMatch(new RegExp(`^\\| \`${name}\` \\|`));
    expect(sections.get(code)?.trim()).not.toBe('');
    expect(row?.split(' | ').at(-1)).toMatch(
      makers[name](errors).outcome === undefined ? /^– \|$/ : /`(?:not-sent|unknown)`|what was known/,
    );
  });

  it('names every field that a class has in addition to the common fields', () => {
    const common = ['code', 'outcome', 'uuid', 'operation', 'attempts', 'message', 'stack', 'name', 'cause'];
    for (const [code, name] of Object.entries(classes)) {
      const error = makers[name](errors);
      const getters = Object.getOwnPropertyNames(Object.getPrototypeOf(error)).filter(
        (f) => f !== 'constructor',
      );
      const fields = [...Object.getOwnPropertyNames(error), ...getters].filter((f) => !common.includes(f));
      for (const field of fields) expect(sections.get(code), code).toContain(`\`${field}\``);
    }
  });

  it('links to sections that exist', () => {
    const targets = [...readFileSync(page, 'utf8').matchAll(/\]\(#(\w+)\)/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !sections.has(target as string))).toEqual([]);
  });
});

describe('the pointer at the end of a message', () => {
  const pointer = / See (\S+)#(\w+) in pix-automatic-sdk\./g;

  it.each(names)('of %s leads to the section of its code', (name) => {
    const error = makers[name](errors);
    const found = [...error.message.matchAll(pointer)];
    expect(found).toHaveLength(1);
    const [text, file = '', section = ''] = found[0] ?? [];
    expect(error.message).toMatch(/\.$/);
    expect(error.message.endsWith(text as string)).toBe(true);
    expect(existsSync(file)).toBe(true);
    expect(sections.has(section)).toBe(true);
    expect(classes[section as PaymentsErrorCode]).toBe(name);
    expect(error.stack).toContain(error.message);
  });

  it('leads to a page that the package includes', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(files).toEqual(expect.arrayContaining(['docs/*.md', 'docs/pt/*.md']));
  });

  it.each([
    [{ LANG: 'pt_BR.UTF-8' }, 'docs/pt/errors.md'],
    [{ LC_MESSAGES: 'pt_PT.UTF-8', LANG: 'en_US.UTF-8' }, 'docs/pt/errors.md'],
    [{ LC_ALL: 'C', LANG: 'pt_BR.UTF-8' }, 'docs/errors.md'],
    [{ LANG: 'es_ES.UTF-8' }, 'docs/errors.md'],
    [{}, 'docs/errors.md'],
  ])('leads in the environment %o to %s, and the message stays English', (env, file) => {
    vi.stubGlobal('process', { env });
    const { message } = new errors.ConfigurationError(
      'Twice. See docs/errors.md#timeout in pix-automatic-sdk.',
    );
    expect(message).toBe(`Twice. See ${file}#configuration in pix-automatic-sdk.`);
    expect(withoutPointer(message)).toBe('Twice.');
  });

  it.each([
    ['there is no process, as in a Worker', undefined],
    [
      'the environment may not be read, as in Deno without --allow-env',
      {
        get env() {
          throw new Error('Requires env access');
        },
      },
    ],
  ])('leads to the English page where %s', (_, process) => {
    vi.stubGlobal('process', process);
    expect(new errors.ConfigurationError('m').message).toContain('See docs/errors.md#');
  });

  it('appears once when an error quotes the message of another', () => {
    const { message } = makers.TimeoutError(errors);
    const outer = new errors.ConfigurationError(`${message} Twice.`);
    expect(outer.message).toBe('m Twice. See docs/errors.md#configuration in pix-automatic-sdk.');
  });

  it('is left out on the command line, which is no place for a page', async () => {
    const env = { PAYMENTS_API_KEY: 'key ', PAYMENTS_API_TOKEN: 'token' };
    const args = ['verify', 'http://127.0.0.1:9/'];
    const { status, stderr } = await runCommand(args, env);
    expect(status).toBe(2);
    expect(stderr).toBe(
      'pix-automatic-sdk: Expected `apiKey` to be without white space at its ends. It was probably copied with a line ' +
        'break.\n',
    );
  });
});
