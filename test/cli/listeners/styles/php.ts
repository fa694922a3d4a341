import { Buffer } from 'node:buffer';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, onTestsEnd } from '../listen';
import { amountOf, type Booked, type Payload, pair, right, rightHeader, subjectOf } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';

type Lock = (act: () => Promise<void>) => Promise<void>;

/** What a script of PHP has for one request. Nothing but the file outlives it. */
class Script {
  /** What `php://input` reads. */
  readonly input: string;
  /** `$_POST`: filled from a form alone. */
  readonly post: URLSearchParams;
  /** `$_SERVER['HTTP_AUTHORIZATION']` */
  readonly authorization: string;
  /** `$_SERVER['REQUEST_METHOD']` */
  readonly method: string;
  /** A line of JSON a booking. */
  readonly file: string;
  /** `flock` on the file while this runs. */
  readonly flock: Lock;
  readonly #response: ServerResponse;

  constructor(
    [file, flock]: [string, Lock],
    request: IncomingMessage,
    response: ServerResponse,
    input: string,
  ) {
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
    this.file = file;
    this.flock = flock;
    this.input = input;
    this.post = new URLSearchParams(isForm ? input : '');
    this.authorization = request.headers.authorization ?? '';
    this.method = request.method ?? '';
    this.#response = response;
  }

  /** `echo`: the headers go out with the first output. */
  echo(output: string): void {
    this.#response.write(output);
  }

  /** `http_response_code`: once there was output, it does nothing. */
  status(code: number): void {
    if (!this.#response.headersSent) this.#response.statusCode = code;
  }

  /** `file`: the bookings so far. */
  async rows(): Promise<Line[]> {
    return linesOf(await readFile(this.file, 'utf8'));
  }
}

/** A booking, and the key that it was made under. */
interface Line extends Booked {
  readonly key: string;
}

const linesOf = (file: string): Line[] =>
  file
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Runs the script for each request. What it throws is a 500, and `display_errors` is off. */
function inPhp(run: (script: Script) => Promise<void>): Pick<Listener, 'start'> {
  return {
    start() {
      const folder = mkdtempSync(join(tmpdir(), 'php-'));
      onTestsEnd(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'bookings');
      // At once: its bookings are read before its first request.
      writeFileSync(file, '');
      let last: Promise<void> = Promise.resolve();
      const flock: Lock = (act) => {
        last = last.then(act, act);
        return last;
      };
      return listen(
        async (request, response) => {
          const script = new Script([file, flock], request, response, await text(request));
          await run(script).catch(() => script.status(500));
          response.end();
        },
        () => linesOf(readFileSync(file, 'utf8')),
      );
    },
  };
}

function lineOf(payload: Payload, amount = amountOf(payload)): Line | undefined {
  const kind = right.kindOf(new URL('http://shop.invalid'), payload);
  const booked = right.bookedAs(kind, payload);
  if (booked === undefined) return undefined;
  return { key: right.keyOf(kind, payload), kind: booked, subject: subjectOf(payload), amount };
}

/** Looks whether it has the booking, and appends it if not, under a lock. */
function book(script: Script, line: Line | undefined): Promise<void> {
  return script.flock(async () => {
    if (line === undefined || (await script.rows()).some(({ key }) => key === line.key)) return;
    await appendFile(script.file, `${JSON.stringify(line)}\n`);
  });
}

/** Right, except for what is booked, and how a script checks the pair or refuses it. */
function posting(
  act: (payload: Payload, script: Script) => Promise<void>,
  { isLetIn = ({ authorization }: Script) => authorization === rightHeader, before = (_: Script) => {} } = {},
): Pick<Listener, 'start'> {
  return inPhp(async (script) => {
    before(script);
    if (script.method !== 'POST' || !isLetIn(script)) return script.status(401);
    await act(JSON.parse(script.input), script);
  });
}

/** Books a payment from `$_POST`, if there is one. */
function fromForm(isStrict: boolean): Pick<Listener, 'start'> {
  return inPhp(async (script) => {
    if (script.authorization !== rightHeader) return script.status(401);
    const payload: Payload = Object.fromEntries(script.post);
    if (payload.saleToken === undefined) return isStrict ? script.status(400) : undefined;
    await book(script, lineOf({ ...payload, amount: Number(payload.amount) }));
  });
}

export const wrongInPhp: readonly WrongListener[] = [
  {
    does: 'reads `$_POST`, and does nothing where it is empty (PHP)',
    step: 'first',
    cause: 'no parser reads the body',
    ...fromForm(false),
  },
  {
    does: 'reads `$_POST`, and answers 400 where it is empty (PHP)',
    step: 'first',
    cause: 'no body parser reads JSON',
    ...fromForm(true),
  },
  {
    does: 'runs where the web server keeps the header from it (PHP)',
    step: 'first',
    cause: 'a web server keeps it',
    ...posting((payload, script) => book(script, lineOf(payload)), { isLetIn: () => false }),
  },
  {
    does: 'keeps its keys in a static variable, which ends with the request (PHP)',
    step: 'again',
    cause: 'or one request',
    ...posting(async (payload, { file }) => {
      const seen = new Set<string>();
      const line = lineOf(payload);
      if (line === undefined || seen.has(line.key)) return;
      seen.add(line.key);
      await appendFile(file, `${JSON.stringify(line)}\n`);
    }),
  },
  {
    does: 'has written a line of its log before it refuses, so that its 401 is a 200 (PHP)',
    step: 'pairs',
    cause: 'in PHP: after output',
    ...posting((payload, script) => book(script, lineOf(payload)), {
      before: (script) => script.echo('notification received\n'),
    }),
  },
  {
    does: 'looks into its file, and appends to it without `flock` (PHP)',
    step: 'fiveAtOnce',
    cause: 'looked up and then written',
    ...posting(async (payload, script) => {
      const line = lineOf(payload);
      if (line === undefined || (await script.rows()).some(({ key }) => key === line.key)) return;
      await sleep(100);
      await appendFile(script.file, `${JSON.stringify(line)}\n`);
    }),
  },
  {
    does: 'reads its whole file, and writes it back without `flock` (PHP)',
    step: 'threeAtOnce',
    cause: 'written back whole',
    ...posting(async (payload, script) => {
      const lines = await script.rows();
      const line = lineOf(payload);
      if (line === undefined || lines.some(({ key }) => key === line.key)) return;
      await sleep(100);
      await writeFile(script.file, [...lines, line].map((one) => `${JSON.stringify(one)}\n`).join(''));
    }),
  },
  {
    does: "has `(int) $payload['amount']` (PHP)",
    step: 'cents',
    cause: 'a cast of whole numbers',
    ...posting((payload, script) => book(script, lineOf(payload, Math.trunc(amountOf(payload) ?? 0)))),
  },
];

export const rightInPhp: readonly Listener[] = [
  {
    does: 'reads `php://input`, and writes to a file under `flock` (PHP)',
    ...posting((payload, script) => book(script, lineOf(payload))),
  },
  {
    does: 'compares `PHP_AUTH_USER` and `PHP_AUTH_PW` (PHP)',
    ...posting((payload, script) => book(script, lineOf(payload)), {
      isLetIn({ authorization }) {
        const [, encoded = ''] = /^Basic +(.*)$/i.exec(authorization) ?? [];
        const [, user, password] = /^(.*?):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
        return user === pair.apiKey && password === pair.apiToken;
      },
    }),
  },
];
