import { performance } from 'node:perf_hooks';
import { isObject } from '../../shared/objects';
import { IncomingBody } from '../../shared/read-body';
import { sleep } from '../../shared/time';
import { failure } from '../failure';
import { line } from '../visible';
import { bookedKinds, isBookedKind, type Row } from './judge';

const POLL_MS = 30;
/** The rows are final once they have not changed for this long. */
const STEADY_MS = 40;
/** How long a row that must not come is waited for, where a later one can be told by its subject. */
const QUIET_MS = 120;
/** How often it is read to see whether several processes answer. */
const READS = 5;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Counts become rows, and nobody books more than that in a test database. */
const MAX_COUNT = 100_000;

/** The kind of a row that is written down before a worker acts on it. It is no booking. */
const INBOX = 'inbox';

/** Codes of a certificate that is not trusted, and of a connection whose other end speaks plain http, or https. */
export const UNTRUSTED = /CERT|SIGNATURE|ISSUER/;
export const WRONG_SCHEME = /^(ERR_SSL_|EPROTO|HPE_)/;

/** What the listener has booked so far. */
export interface Ledger {
  readonly rows: readonly Row[];
  /** How many rows wait for a worker. */
  readonly inbox: number;
  /** Kinds that a count names, also with 0. */
  readonly claimed: readonly string[];
  /** Kinds of rows that are none of ours: they are the merchant's own, or a wrong word. */
  readonly others: readonly string[];
}

/** What `--effects` must answer. */
export function effectsForm(): string {
  return `Expected \`--effects\` to answer 200 with the rows that the listener has booked, such as [{"kind": "payment", "subject": "…", "amount": 59.7}], or with counts, such as {"payment": 7}: kinds ${bookedKinds.join(', ')}, JSON of at most 4 MiB, without a redirect.`;
}

/** Reads what the listener has booked, from the merchant's URL. No credentials are sent there. */
export class Effects {
  readonly #url: URL;
  readonly #waitMs: number;

  constructor(url: URL, waitMs: number) {
    this.#url = url;
    this.#waitMs = waitMs;
  }

  /** What is booked so far. @throws `CliFailure` if the URL cannot be reached, or answers anything else */
  async read(): Promise<Ledger> {
    const ledger = toLedger(await this.#answer());
    if (ledger !== undefined) return ledger;
    throw failure(effectsForm());
  }

  /**
   * Reads until what must come is there and nothing changes any more. What is missing is waited for, and so is what
   * must not come; a worker that has an inbox gets ten times as long.
   *
   * @param isComplete - whether all that must come is there; `undefined` if nothing must
   */
  async settled(isComplete?: (now: Ledger) => boolean): Promise<Ledger> {
    const started = performance.now();
    let latest = await this.read();
    let changedAt = performance.now();
    for (;;) {
      await sleep(POLL_MS);
      const ledger = await this.read();
      const now = performance.now();
      if (!isSame(ledger, latest)) changedAt = now;
      latest = ledger;
      const isSteady = now - changedAt >= STEADY_MS;
      if (isSteady && isComplete?.(ledger)) return ledger;
      const hasSubjects = ledger.rows.every(({ subject }) => subject !== undefined);
      const isForWorker = isComplete !== undefined && ledger.inbox > 0;
      const waitMs = isForWorker
        ? this.#waitMs * 10
        : isComplete === undefined && hasSubjects
          ? Math.min(QUIET_MS, this.#waitMs)
          : this.#waitMs;
      if (isSteady && now - started >= waitMs) return ledger;
      // Rows that never stop coming are no reason to wait for ever.
      if (now - started >= 2 * Math.max(waitMs, this.#waitMs)) return ledger;
    }
  }

  /** Whether rows are there, then not, and then there again: several processes answer in turn, each with its own. */
  async comesAndGoes(): Promise<boolean> {
    const counts: number[] = [];
    for (let reads = 0; reads < READS; reads += 1) counts.push((await this.read()).rows.length);
    const most = (some: readonly number[]) => Math.max(0, ...some);
    return counts.some(
      (count, index) => count < most(counts.slice(0, index)) && count < most(counts.slice(index)),
    );
  }

  async #answer(): Promise<unknown> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await this.#reach(signal);
    try {
      // The signal also ends the reading of the body.
      const body = new IncomingBody(MAX_BYTES);
      await body.read(response);
      return response.status === 200 ? JSON.parse(body.text()) : undefined;
    } catch {
      // Not JSON. The parser's message would quote it.
      return undefined;
    }
  }

  async #reach(signal: AbortSignal): Promise<Response> {
    try {
      // A connection that stays open blocks a server that serves one at a time, such as Python's.
      const headers = { connection: 'close' };
      return await fetch(this.#url, { signal, headers, redirect: 'manual' });
    } catch (error) {
      // In our own words: the platform's message would quote the URL.
      const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
      const code = String(Object(cause).code ?? name);
      if (UNTRUSTED.test(code))
        throw failure(
          line`The certificate of the \`--effects\` URL is not trusted (${code}). For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS, or let the URL answer over http on this machine.`,
        );
      if (WRONG_SCHEME.test(code))
        throw failure(
          line`The URL of \`--effects\` speaks another protocol (${code}): it is https here and plain http there, or the reverse.`,
        );
      throw failure(
        line`The URL of \`--effects\` cannot be reached (${code}). Is the listener running, and are its host and port right?`,
      );
    }
  }
}

export function isSame(one: Ledger, other: Ledger): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Rows, or counts by kind: a count of 3 is three rows that have neither subject nor amount. */
function toLedger(answer: unknown): Ledger | undefined {
  if (Array.isArray(answer)) return fromRows(answer);
  if (!isObject(answer)) return undefined;
  const inbox = answer[INBOX] ?? 0;
  const counts = bookedKinds
    .filter((kind) => answer[kind] !== undefined)
    .map((kind) => [kind, answer[kind]] as const);
  const isCount = (count: unknown) =>
    Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MAX_COUNT;
  const isOther = Object.keys(answer).length > 0 && counts.length === 0 && answer[INBOX] === undefined;
  if (isOther || ![inbox, ...counts.map(([, count]) => count)].every(isCount)) return undefined;
  return {
    rows: counts.flatMap(([kind, count]) => Array.from({ length: Number(count) }, () => ({ kind }))),
    inbox: Number(inbox),
    claimed: counts.map(([kind]) => kind),
    others: [],
  };
}

function fromRows(answer: readonly unknown[]): Ledger | undefined {
  const rows: Row[] = [];
  const others = new Set<string>();
  let inbox = 0;
  for (const item of answer) {
    if (!isObject(item) || typeof item['kind'] !== 'string') return undefined;
    const { kind, subject, amount } = item as { kind: string; subject?: unknown; amount?: unknown };
    if (kind === INBOX) inbox++;
    else if (!isBookedKind(kind)) others.add(kind);
    // Other kinds are the merchant's own, and may hold anything.
    if (!isBookedKind(kind)) continue;
    // Some drivers return decimals as text, and a ledger may write what goes out with a minus.
    const number = Math.abs(Number(amount ?? undefined));
    if (amount != null && !Number.isFinite(number)) return undefined;
    rows.push({
      kind,
      ...(subject == null ? {} : { subject: String(subject) }),
      ...(amount == null ? {} : { amount: number }),
    });
  }
  return { rows, inbox, claimed: [], others: [...others] };
}
