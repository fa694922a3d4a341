import { createServer } from 'node:http';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliveryLine } from '../../src/cli/commands/control-command';
import { logLine } from '../../src/cli/commands/sandbox';
import { printJson } from '../../src/cli/output';
import { visible } from '../../src/cli/visible';
import { listen } from '../helpers/listen';
import { credentials, runCli } from './run-cli';

/** C0 except the line end, DEL, C1, and the characters that turn the direction of text. */
const STEERING = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;
const forged = JSON.parse('"order\\u001b[2J\\u0007\\r\\u007f\\u009b31m\\u202e\\u2066-1"');
const written = 'order\\u001b[2J\\u0007\\u000d\\u007f\\u009b31m\\u202e\\u2066-1';

/** A sandbox with one journey. */
async function openJourney(referenceCode: string): Promise<string> {
  const sandbox = await startSandbox({ credentials });
  onTestFinished(() => sandbox.close());
  sandbox.createTestJourney({ referenceCode });
  return sandbox.url;
}

/** Another program on the port. */
function openOther(status: number, answer: (url?: string) => object): Promise<string> {
  return listen(
    createServer(({ url }, response) => void response.writeHead(status).end(JSON.stringify(answer(url)))),
  );
}

afterEach(() => vi.restoreAllMocks());

describe('text from outside cannot steer the terminal', () => {
  it('in a line of text', () => {
    expect(visible(forged)).toBe(written);
    expect(visible('line\nfeed')).toBe('line\\u000afeed');
    expect(visible('Pão de açúcar – R$ 5')).toBe('Pão de açúcar – R$ 5');
  });

  it('in JSON, which still has the same value', () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    printJson({ referenceCode: forged }, 2);
    expect(lines.join('')).not.toMatch(STEERING);
    expect(JSON.parse(lines.join(''))).toEqual({ referenceCode: forged });
  });

  it('in the sandbox’s log, by a path, a uuid or a reference code', () => {
    const entry = { type: 'request', method: 'GET', status: 200, durationMs: 1 } as const;
    const shown = { ...entry, path: `/${forged}`, uuid: forged, referenceCode: forged };
    const line = logLine(shown as Parameters<typeof logLine>[0], 1000);
    expect(line).not.toMatch(STEERING);
    expect(line.split(written)).toHaveLength(4);
  });

  it.each([
    [
      { status: 200, unknownValues: ['recurrence.calendar.periodicity'] },
      'values that the document does not show: recurrence.calendar.periodicity (it shows MONTHLY). The sandbox',
    ],
    [
      {
        status: 200,
        operation: 'createRecurringCheckout',
        unknownFields: ['maxage', 'metadata', 'recurrence.calendar.startDate'],
      },
      'does not have: maxage (maxAge?), metadata, recurrence.calendar.startDate (initialDate? finalDate? periodicity?)',
    ],
    [
      {
        status: 200,
        doubtfulValues: [
          'referenceCode',
          'maxAge',
          'recurrence.calendar.initialDate',
          'shopper.document.number',
        ],
      },
      'may refuse: referenceCode (over 50 characters, an e-mail address or a CPF), maxAge (in minutes: over 90 days), recurrence.calendar.initialDate (in the past), shopper.document.number (no CPF has',
    ],
    [
      { status: 404, operation: 'getTransaction' },
      'no transaction has this UUID here: the sandbox keeps them in memory',
    ],
  ])('a call %j of the log has a hint', (call, hint) => {
    const entry = { type: 'request', method: 'GET', path: '/', durationMs: 1, ...call };
    expect(logLine(entry as Parameters<typeof logLine>[0], 1000)).toContain(hint);
  });

  it.each([
    [
      { httpStatus: 401 },
      'your listener has another pair: use the one of the sandbox. Or something before the handler',
    ],
    [{ httpStatus: 404 }, 'your server has no POST at this path: check `--webhook-url`'],
    [{ httpStatus: 202 }, 'only 200 counts as received'],
    [{ httpStatus: 304 }, 'only 200 counts as received'],
    [{ httpStatus: 301 }, 'it redirects, and only 200 counts: check the path'],
    [{ httpStatus: 307 }, 'it redirects, and only 200 counts: check the path'],
    [{ httpStatus: 413 }, 'your server refuses a body of this size: raise the limit of its body parser'],
    [{ httpStatus: 500 }, "see your listener's log"],
    [{ httpStatus: 503 }, "see your listener's log"],
    [{ error: 'ECONNREFUSED' }, 'nothing listens there: is your server running, on this port?'],
    [{ error: 'EPROTO' }, 'your server speaks http, not https, on this port'],
    [{ error: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'your server speaks http, not https, on this port'],
    [
      { error: 'ECONNRESET' },
      'your server closed the connection without an answer: did the handler crash? See its log',
    ],
    [{ error: 'connection closed' }, 'your server closed the connection without an answer'],
    [{ error: 'HPE_INVALID_CONSTANT' }, 'what listens there does not speak HTTP: check the port'],
    [{ error: 'timeout' }, 'does your route pass both to the handler, as in `handler(request, response)`?'],
    [{ error: 'closed' }, ''],
  ])('an answer %j of a listener has a hint, in the log and in the list', (ending, hint) => {
    const attempt = { number: 1, manual: false, durationMs: 1, startedAt: '', ...ending };
    const delivery = { id: 'delivery-1', kind: 'payment', url: '', status: 'pending', attempts: [attempt] };
    const inLog = logLine({ type: 'delivery', delivery, attempt } as never, 1000);
    expect(inLog).toContain(hint);
    expect(deliveryLine(delivery as never)).toContain(hint);
    if (hint === '') expect(inLog).toMatch(/next attempt in 1 s$/);
  });

  it.each<[where: string, url: () => Promise<string>, commands: string[], shown: string]>([
    ['the lists, by a reference code', () => openJourney(forged), ['list', 'pay'], written],
    [
      'a suggestion',
      () => openJourney('order-\u001b[31m1'),
      ['pay order-[31m2'],
      'Did you mean `order-\\u001b[31m1`?',
    ],
    [
      'what another program on the port answers',
      () =>
        openOther(200, (url) => ({
          deliveries: url === '/sandbox/deliveries' ? [{ id: 'one', kind: forged, attempts: [{}] }] : [],
          uuid: forged,
          error: forged,
          durationMs: forged,
          webhookUrl: forged,
        })),
      ['resend', 'pay-out --amount 1'],
      written,
    ],
    ['its refusal', () => openOther(500, () => ({ message: forged })), ['list'], written],
  ])('in the output of a command, in %s', async (_where, url, commands, shown) => {
    const at = await url();
    for (const command of commands) {
      const { stdout, stderr } = await runCli([...command.split(' '), '--sandbox', at]);
      expect(stdout + stderr).not.toMatch(STEERING);
      expect(stdout + stderr).toContain(shown);
    }
  });
});
