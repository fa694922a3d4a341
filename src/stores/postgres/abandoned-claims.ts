/** How often the server is asked to release the remaining claims. */
const PAUSE_MS = 1_000;

/** By then the service has sent all six deliveries of a notification, so a later release gains nothing. */
const LIFETIME_MS = 300_000;

/** A claim takes some 200 bytes, and one statement releases all of them. */
const MAX_CLAIMS = 1_000;

/** Releases the leases with these tokens, each of the subject at the same index, and returns the tokens released. */
type Release = (subjects: readonly string[], tokens: readonly string[]) => Promise<readonly unknown[]>;

/**
 * Claims whose answer never came. A server that stalled carries them out when it resumes, and nothing else would
 * release their leases. So they are released in the background: every second, until the server has released them or
 * five minutes have passed, one statement at a time, and without keeping the process alive. Beyond 1000 claims the
 * oldest are forgotten, and their leases run out by themselves.
 */
export class AbandonedClaims {
  readonly #release: Release;
  readonly #claims = new Map<string, { readonly subject: string; readonly end: number }>();
  #isScheduled = false;

  constructor(release: Release) {
    this.#release = release;
  }

  add(subject: string, token: string): void {
    this.#claims.set(token, { subject, end: performance.now() + LIFETIME_MS });
    for (const oldest of this.#claims.keys()) {
      if (this.#claims.size <= MAX_CLAIMS) break;
      this.#claims.delete(oldest);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#claims.size === 0) return;
    this.#isScheduled = true;
    // In runtimes where a timer is a number, there is no process to keep alive.
    const timer: { unref?: () => void } | number = setTimeout(() => void this.#run(), PAUSE_MS);
    if (typeof timer === 'object') timer.unref?.();
  }

  async #run(): Promise<void> {
    const now = performance.now();
    for (const [token, { end }] of this.#claims) if (end <= now) this.#claims.delete(token);
    if (this.#claims.size > 0) await this.#releaseAll();
    this.#isScheduled = false;
    this.#schedule();
  }

  async #releaseAll(): Promise<void> {
    const subjects = [...this.#claims.values()].map(({ subject }) => subject);
    try {
      const released = await this.#release(subjects, [...this.#claims.keys()]);
      for (const token of released) this.#claims.delete(String(token));
    } catch {
      // The server is still unreachable; the next run asks again.
    }
  }
}

/**
 * Whether a statement that failed with this error may have been carried out, or may still be. `false` if the server
 * itself reported the failure: any SQLSTATE other than a lost connection (08) or a server that ends it (57).
 */
export function mayStillHappen(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return !(typeof code === 'string' && /^(?!08|57)[0-9FHPX][0-9A-Z]{4}$/.test(code));
}
