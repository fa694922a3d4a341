import { afterAll, expect, vi } from 'vitest';

/*
 * The files of a project that is not isolated run in one process, one after the other. What Vitest put in place for a
 * file ends with it, and a file fails that leaves anything else behind for the next one.
 */

const before = shared();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  const after = shared();
  const names = Object.keys({ ...before, ...after });
  const changed = names.filter((name) => !Object.is(before[name], after[name]) && !isFirstUse(name));
  expect(changed, 'what this file left changed for the next one').toEqual([]);
});

/** zod and the platform's `fetch` set their own globals when they are first used, and Vitest sets its own. */
function isFirstUse(name: string): boolean {
  if (name === 'globalThis.Symbol($$jest-matchers-object)') return true;
  return before[name] === undefined && /^globalThis\.(__zod_|Symbol\(undici\.)/.test(name);
}

/** What the files share, and might change. */
function shared(): Readonly<Record<string, unknown>> {
  const { stdout, stderr, env } = process;
  const { abort } = AbortController.prototype;
  const { clone } = Request.prototype;
  const owners = { globalThis, process, env, stdout, stderr, console, performance, Date, Math, JSON, Error };
  const values = Object.entries(owners).flatMap(([owner, object]) =>
    Reflect.ownKeys(object).map((key) => [`${owner}.${String(key)}`, read(object, key)] as const),
  );
  return { ...Object.fromEntries(values), abort, clone };
}

/** Node loads some globals when they are first read: they are read at once. One that is not to be had stays out. */
function read(object: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}
