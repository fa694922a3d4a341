// Where reports go without an `onReport`: the lines of the log, and the counting of those that are alike.

import { documentedNames } from '../service/notifications';
import { isDocumentedState } from '../service/states';
import { MINUTE_MS } from '../shared/time';
import { partsOf } from './key';
import { REPORTER, type Reporter, reporterTo, type WebhookReport } from './report';
import { inOneLine, pathsOf, type WebhookReportCode } from './report-texts';

const MAX_SEEN = 1_000;
const MAX_KEYS = 5;

/**
 * The default `onReport`: one line of text, with the fields that hold no personal data, and what your own callback or
 * database threw. Lines that differ in nothing but the key are counted for a minute, so that a dead database does not
 * write a line a notification.
 */
export function defaultReport(): (report: WebhookReport) => void {
  const seen = new Map<string, { readonly since: number; readonly keys: (string | undefined)[] }>();
  const flush = (same: string, code: string) => {
    const keys = seen.get(same)?.keys ?? [];
    seen.delete(same);
    if (keys.length === 0) return;
    const some = [...new Set(keys)].filter(Boolean).slice(0, MAX_KEYS).join(' ');
    console.error(
      `pix-automatic-sdk: webhook ${code}: ${keys.length} more like it within a minute${some && ` (${some} …)`}.`,
    );
  };
  return (report) => {
    const { code, status, kind, reason, delivery, message, issues = [], error } = report;
    const key = report.key && inOneLine(shownKey(report.key, kind));
    const described = THROWN_BY_MERCHANT.has(code) ? describeThrown(error) : '';
    const place = code === 'callback_failed' || code === 'internal' ? placeOf(error) : undefined;
    const thrown = [described, place && `at ${place}`].filter(Boolean).join(' ');
    // Its message says more than its reason, if key and token are swapped.
    const why = code === 'unauthorized' ? message : reason;
    const same = JSON.stringify([code, status, kind, why, pathsOf(issues), thrown]);
    const now = Date.now();
    const before = seen.get(same);
    if (before !== undefined && now - before.since < MINUTE_MS) {
      before.keys.push(key);
      return;
    }
    flush(same, code);
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(same, { since: now, keys: [] });
    const timer: { unref?: () => void } = Object(setTimeout(flush, MINUTE_MS, same, code));
    timer.unref?.();
    const about = [
      kind && `kind=${kind}`,
      key && `key=${key}`,
      delivery && `delivery=${delivery}`,
      reason && `reason=${reason}`,
    ];
    const details = about.filter(Boolean).join(' ');
    console.error(
      `pix-automatic-sdk: webhook ${code}${details && ` (${details})`}: ${message}${thrown && ` [${thrown}]`}`,
    );
  };
}

/** A key as a log may have it: a state that the document does not name is a text of the sender's, which may say anything. */
function shownKey(key: string, kind: string | undefined): string {
  const { subject, state } = partsOf(key);
  const isDocumented = kind !== undefined && documentedNames.includes(kind);
  if (!isDocumented || state === '' || isDocumentedState(state)) return key;
  return `${subject}:…`;
}

/** Other errors come from the platform, and may quote the request. */
const THROWN_BY_MERCHANT: ReadonlySet<WebhookReportCode> = new Set([
  'callback_failed',
  'confirm_failed',
  'store_failed',
  'dead_letters_failed',
  'maintain_failed',
  'internal',
]);

/** Name, code and message of an error, and of its cause: database libraries wrap the driver's error. */
function describeThrown(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return [error, cause].map(describeError).filter(Boolean).join(', caused by ');
}

/**
 * File and line of an error: of the first frame of the merchant's own code, else of the first one that is not ours. The
 * message, which the stack begins with, may hold anything.
 */
function placeOf(error: unknown): string | undefined {
  const { stack, message } = Object(error) as { readonly stack?: unknown; readonly message?: unknown };
  if (typeof stack !== 'string') return undefined;
  const from = typeof message === 'string' ? stack.indexOf(message) + message.length : 0;
  const places = stack
    .slice(from)
    .split('\n', MAX_FRAMES)
    .flatMap(placeIn)
    .filter((place) => !/[\\/]pix-automatic-sdk[\\/](?:dist|src)[\\/]|^node:/.test(place));
  const place = places.find((each) => !each.includes('node_modules')) ?? places[0];
  return place && inOneLine(place);
}

const MAX_FRAMES = 30;

/** File and line in a frame, if it has them: `at name (file:1:2)`, `at file:1:2`, or `name@file:1:2`. */
function placeIn(frame: string): readonly string[] {
  const end = /:(\d+):\d+\)?$/.exec(frame);
  if (end === null) return [];
  const before = frame.slice(0, end.index);
  const word = before.slice(Math.max(before.lastIndexOf('('), before.lastIndexOf(' ')) + 1);
  const [name = '', ...file] = word.split('@');
  const path = file.length > 0 && !name.includes('/') ? file.join('@') : word;
  return [`${path.replace(/^file:\/\//, '')}:${end[1]}`];
}

function describeError(error: unknown): string {
  if (typeof error === 'string') return inOneLine(error);
  const { name, code, message } = Object(error) as {
    readonly [Name in 'name' | 'code' | 'message']?: unknown;
  };
  const label = [name, code].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
  return inOneLine([label, message].filter((part) => typeof part === 'string' && part !== '').join(': '));
}

/** Returns the handler's own reporter, or the default one for a handler that `createWebhookHandler` did not make. */
export function reporterOf(handler: object): Reporter {
  const { [REPORTER]: own }: { readonly [REPORTER]?: Reporter } = handler;
  return own ?? reporterTo(defaultReport());
}
