import { analyse } from 'scslre';
import { describe, expect, it } from 'vitest';
import { findRegularExpressions } from './find';

const { literals, constructed } = findRegularExpressions();

function slowPartsOf({ source, flags }: RegExp): string[] {
  return analyse({ source, flags }).reports.map(({ type, character }) => `${type} of ${character.pick}`);
}

describe('regular expressions take no more than linear time', () => {
  it('and all of them are found in the source', () => {
    expect(literals.length).toBeGreaterThan(30);
    expect(literals.map(({ where }) => where.replace(/:\d+$/, ''))).toContain(
      'src/webhooks/payout-failure.ts',
    );
  });

  it.each(literals.map(({ where, pattern }) => [where, String(pattern), pattern] as const))(
    'at %s: %s',
    (_where, _shown, pattern) => {
      expect(slowPartsOf(pattern)).toEqual([]);
    },
  );

  it('also when constructed at run time, from fixed text: a credential, a URL, a path template', () => {
    const files = constructed.map((where) => where.replace(/:\d+$/, ''));
    expect(files).toEqual([
      'src/sandbox/model/service-model.ts',
      'src/sandbox/server/control-routes.ts',
      'src/service/credentials.ts',
      'src/testing/mock-service.ts',
    ]);
    expect(slowPartsOf(/(?:a|%61)(?: |%20|\+)(?:\.|%2e)(?:\[|%5b)(?:%|%25)/gi)).toEqual([]);
    expect(slowPartsOf(/^\/v1\.1\/pix-automatic\/scheduled-payments\/([^/]+)\/cancel$/)).toEqual([]);
    expect(slowPartsOf(/^\/sandbox\/transactions\/([^/]+)\/pay$/)).toEqual([]);
    expect(slowPartsOf(/^https:\/\/api\.example\.com\//)).toEqual([]);
  });

  it.each([/(a+)+$/, /^data:(image\/[^;,]*)?[^,]*,/, /\/+$/, /\s*,\s*;/])(
    'while the slow %s is detected',
    (slow) => {
      expect(slowPartsOf(slow)).not.toEqual([]);
    },
  );
});
