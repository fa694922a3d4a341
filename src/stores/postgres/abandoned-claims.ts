/** How often the server is asked to release what is left, as long as there is anything. */
const PAUSE_MS = 1_000;

/** All six deliveries of a notification are over by then: nothing is gained by a release after that. */
const LIFETIME_MS = 300_000;

/** A claim is some 200 bytes, and all of them are released by one statement. */
const MAX_CLAIMS = 1_000;

/** Releases the leases with these tokens, each of the subject at the same place, and says which tokens had one. */
type Release = (subjects: readonly string[], tokens: readonly string[]) => Promise<readonly unknown[]>;

/**
 * Claims whose answer never came. A server that was stalled carries them out when it goes on, and nobody would know of
 * their leases. So they are released in the background: every second, until the server has released them or five minutes
 * are over, with one statement at a time, and without keeping the process alive. Beyond 1000 claims the oldest are
 * forgotten, and their leases run out by themselves.
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
    // Where timers are numbers, there is no process to keep alive.
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
      // The server is still away, and is asked again.
    }
  }
}

/**
 * Whether a statement that failed so may still be carried out, or has been. Not where the server itself said that the
 * statement failed, by an SQLSTATE other than those of a lost connection (08) or a server that ends it (57).
 */
export function mayStillHappen(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return !(typeof code === 'string' && /^(?!08|57)[0-9FHPX][0-9A-Z]{4}$/.test(code));
}
