// Fills the memory store with as many keys as it holds by default. Measures their memory, what a step costs as the keys
// become more, and what it costs when all of them expire at once.
// Needs --expose-gc, and Node 24 for the CPU time of one thread.
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { lease, retain } from '../../test/stores/limits';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';

const KEYS = 100_000;
const BLOCK = 10_000;
const RETENTION_MS = 3_600_000;

const { seed } = programInput<{ seed: number }>();
const random = randomFrom(seed);
let now = Date.now();
const collections: { readonly start: number; readonly end: number }[] = [];
const observer = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    collections.push({ start: startTime, end: startTime + duration });
});
observer.observe({ entryTypes: ['gc'] });

let steps = 0;
let cpuBefore = process.threadCpuUsage();
/** Steps that took more than a quarter of a millisecond. */
let long: { readonly start: number; readonly end: number; readonly cpuMs: number }[] = [];

const subjects = Array.from({ length: KEYS }, newSubject);
const empty = memory();
const store = new MemoryStore({ maxEntries: KEYS, clock: () => now });

/** What a block of notifications cost, handled one after another. */
export interface Block {
  readonly keys: number;
  readonly microseconds: number;
  readonly longestMs: number;
}

const blocks: Block[] = [];
for (let from = 0; from < KEYS; from += BLOCK) {
  blocks.push(await handleBlock(from + BLOCK, (index) => subjects[from + index] as string));
}
const bytesAKey = (memory() - empty) / KEYS;

// The store is full: each new subject makes it forget another one.
const more = Array.from({ length: BLOCK }, newSubject);
const full = await handleBlock(KEYS, (index) => more[index] as string);

// All keys expire. The store removes them while it is used, so use it for as many steps as there are keys.
const expired = performance.now();
now += 2 * RETENTION_MS;
long = [];
for (let index = 0; index < KEYS; index += 1) await handle(`payment:after-${index % 1000}`);
const expiry = { longestMs: await longest(), longestCollectionMs: longestCollection() };
const bytesAfterwards = memory() - empty;

console.log(JSON.stringify({ keys: subjects.length, bytesAKey, blocks, full, expiry, bytesAfterwards }));

async function handleBlock(keys: number, subjectAt: (index: number) => string): Promise<Block> {
  long = [];
  const before = process.threadCpuUsage();
  for (let index = 0; index < BLOCK; index += 1) await handle(subjectAt(index));
  const { user, system } = process.threadCpuUsage(before);
  return { keys, microseconds: (user + system) / BLOCK, longestMs: await longest() };
}

/** Claims and completes a subject, as for a notification. */
async function handle(subject: string): Promise<void> {
  const claim = await timed(() => store.claim(subject, 'PAID', lease(40_000)));
  if (claim.status === 'claimed') await timed(() => store.complete(claim, retain(RETENTION_MS)));
}

/** Times a step. The store's steps are synchronous, so nothing else can run meanwhile. */
function timed<T>(step: () => T): T {
  steps += 1;
  // Not at each step, because reading the CPU time takes longer than a step. It adds up to 64 steps, about 0.05 ms.
  if (steps % 64 === 0) cpuBefore = process.threadCpuUsage();
  const start = performance.now();
  const result = step();
  const end = performance.now();
  if (end - start > 0.25) {
    const { user, system } = process.threadCpuUsage(cpuBefore);
    long.push({ start, end, cpuMs: (user + system) / 1000 });
  }
  return result;
}

/**
 * The longest step, counting only what the store itself did: without garbage collections during the step, and by the
 * thread's CPU time if that is less, because a busy machine may stop the process in the middle of a step.
 */
async function longest(): Promise<number> {
  // The observer hears of collections only once the event loop is idle.
  await sleep(50);
  const own = long.map(({ start, end, cpuMs }) => {
    const collected = collections
      .filter((each) => each.start < end && each.end > start)
      .reduce((sum, each) => sum + Math.min(end, each.end) - Math.max(start, each.start), 0);
    return Math.max(0, Math.min(end - start, cpuMs) - collected);
  });
  return Math.max(0, ...own);
}

function longestCollection(): number {
  const since = collections.filter(({ start }) => start > expired);
  return Math.max(0, ...since.map(({ start, end }) => end - start));
}

/** The heap, and array buffers, which are outside the heap. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Makes a string that is contiguous in memory: a concatenated one stays in pieces until something reads it. */
function newSubject(): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return Buffer.from(`payment:${uuid}`).toString('latin1');
}
