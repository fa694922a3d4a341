// As many keys in the memory store as it holds by default: what they take, what a step costs as they become more, and when all expire at once.
// Needs --expose-gc, and Node 24 for the CPU time of one thread.
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
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
/** Steps of more than a quarter of a millisecond. */
let long: { readonly start: number; readonly end: number; readonly cpuMs: number }[] = [];

const subjects = Array.from({ length: KEYS }, newSubject);
const empty = memory();
const store = new MemoryStore({ maxEntries: KEYS, clock: () => now });

/** What many notifications took, one after another. */
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

// Full: each new subject has the store forget another one.
const more = Array.from({ length: BLOCK }, newSubject);
const full = await handleBlock(KEYS, (index) => more[index] as string);

// All expire, and go as the store is used: by as many steps as there are keys.
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

/** Claimed and completed, as a notification is. */
async function handle(subject: string): Promise<void> {
  const claim = await timed(() => store.claim(subject, 'PAID', 40_000));
  if (claim.status === 'claimed') await timed(() => store.complete(claim, RETENTION_MS));
}

/** The store's steps are synchronous, so this is the time that nothing else can happen in. */
function timed<T>(step: () => T): T {
  steps += 1;
  // Not at each step, which it takes longer than: 64 of them are some 0.05 ms too much.
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
 * Of the steps, the longest by what the store itself did: without the collections of garbage that fell into it, and by
 * its thread's CPU time where that is less, because on a busy machine the process is stopped in the middle.
 */
async function longest(): Promise<number> {
  // Collections are told of only when nothing else is to do.
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

/** Objects, and the arrays of numbers, which are outside of the heap. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** In one piece: a text put together is many pieces in memory until somebody looks into it. */
function newSubject(): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return Buffer.from(`payment:${uuid}`).toString('latin1');
}
