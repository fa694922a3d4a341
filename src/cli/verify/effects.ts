import { performance } from 'node:perf_hooks';
import { documentedKinds } from '../../service/notifications';
import { isObject } from '../../shared/objects';
import { IncomingBody } from '../../shared/read-body';
import { sleep } from '../../shared/time';
import { failure } from '../failure';

const POLL_MS = 40;
/** The count is final once it has not changed for this long. */
const STEADY_MS = 40;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** The counters that checks look at. Others are the merchant's own, and may move at any time. */
export const counters: readonly string[] = [...documentedKinds.map(({ kind }) => kind), 'payoutFailed'];

/** The counter of what is written down before a worker acts on it. It is no action. */
export const INBOX = 'inbox';

/** Codes of a certificate that is not trusted, and of a connection whose other end speaks plain http, or https. */
export const UNTRUSTED = /CERT|SIGNATURE|ISSUER/;
export const WRONG_SCHEME = /^(ERR_SSL_|EPROTO|HPE_)/;

/** How many actions a listener has taken. */
export interface ActionCount {
  readonly total: number;
  /** By any name, such as `payment`; `undefined` when the URL answers a single number. */
  readonly byName: Readonly<Record<string, number>> | undefined;
}

/** Reads how many actions the listener has taken, from the merchant's URL. No credentials are sent there. */
export class Effects {
  readonly #url: URL;
  readonly #waitMs: number;

  constructor(url: URL, waitMs: number) {
    this.#url = url;
    this.#waitMs = waitMs;
  }

  /**
   * The actions since `before`. Returns as soon as there are as many as expected and the count stops changing. If some
   * are missing, or none is expected, it waits for `waitMs`, and up to twice that while the count still changes. If
   * something was written to an inbox, its worker gets ten times as long.
   */
  async since(before: ActionCount, expected: number): Promise<ActionCount> {
    let changedAt = performance.now();
    const started = changedAt;
    let latest = before;
    for (let reads = 1; ; reads++) {
      const count = await this.count();
      const now = performance.now();
      if (count.total !== latest.total) changedAt = now;
      latest = count;
      const isSteady = now - changedAt >= STEADY_MS;
      const isComplete = expected > 0 && latest.total - before.total >= expected;
      const isForWorker = expected > 0 && !isComplete && inboxOf(latest) > inboxOf(before);
      const deadline = started + this.#waitMs * (isForWorker ? 10 : 1);
      const isOver = now >= deadline && (isSteady || now >= deadline + this.#waitMs);
      // The first read shows the past, and may alone take longer than the wait.
      if (reads > 1 && ((isComplete && isSteady) || isOver)) return difference(latest, before);
      await sleep(POLL_MS);
    }
  }

  /** The actions so far. */
  async count(): Promise<ActionCount> {
    const count = toCount(await this.#read());
    if (count !== undefined) return count;
    throw failure('run.effectsAnswer');
  }

  async #read(): Promise<unknown> {
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
      const code = codeOf(error);
      throw failure(
        UNTRUSTED.test(code)
          ? 'run.effectsCertificate'
          : WRONG_SCHEME.test(code)
            ? 'run.effectsProtocol'
            : 'run.effectsUnreachable',
        { code },
      );
    }
  }
}

function inboxOf({ byName }: ActionCount): number {
  return byName?.[INBOX] ?? 0;
}

export function difference(after: ActionCount, before: ActionCount): ActionCount {
  const names = Object.entries(after.byName ?? {});
  return {
    total: after.total - before.total,
    byName:
      after.byName &&
      Object.fromEntries(names.map(([name, count]) => [name, count - (before.byName?.[name] ?? 0)])),
  };
}

/** Why no connection was made: the system's code, or the name of the error. */
function codeOf(error: unknown): string {
  const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
  return String(Object(cause).code ?? name);
}

function toCount(value: unknown): ActionCount | undefined {
  if (isNumber(value)) return { total: value, byName: undefined };
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, number] => isNumber(entry[1]));
  // Other names are the merchant's own, and may hold anything.
  const isOurs = (name: string) => name === INBOX || counters.includes(name);
  if (Object.entries(value).some(([name, count]) => isOurs(name) && !isNumber(count))) return undefined;
  const total = entries.reduce((sum, [name, number]) => (counters.includes(name) ? sum + number : sum), 0);
  return { total, byName: Object.fromEntries(entries) };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
