import { type FailedPayout, parseNotification, payoutFailure } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { failedPayoutPayload } from './payloads';

/** Document section 7.1. */
const meanings = [
  ['PE0001', 'The bank details provided are not valid'],
  ['PE0002', 'The account holder does not match the provided identification document'],
  ['PE0003', 'The destination account does not accept transfers'],
  ['PE0004', 'Other reasons'],
] as const;

/** Parsed from the body of a notification, as the handler gets it. */
function failureOf(fields: Partial<FailedPayout>) {
  const notification = parseNotification({ body: { ...failedPayoutPayload(), ...fields } });
  if (notification.kind !== 'payout' || notification.payload.success) throw new Error('expected a failure');
  return payoutFailure(notification.payload);
}

describe.each(meanings)('payoutFailure of %s', (code, meaning) => {
  const hasReason = code === 'PE0003' || code === 'PE0004';

  it('has the document’s meaning, and no reason where there is no message', () => {
    expect(failureOf({ error_code: code, message: null })).toEqual({ code, meaning });
    expect(failureOf({ error_code: code, message: ' ' })).toEqual({ code, meaning });
    expect(failureOf({ error_code: code, message: meaning })).toEqual({ code, meaning });
  });

  it.each([
    ['Conta encerrada', 'Conta encerrada'],
    ['PE0003 - Conta encerrada - fale com o banco', 'Conta encerrada - fale com o banco'],
    ['The destination account does not accept transfers - AC07 \n', 'AC07'],
  ])('reads the reason of PE0003 and PE0004 in the message %j', (message, reason) => {
    expect(failureOf({ error_code: code, message })).toEqual({ code, meaning, ...(hasReason && { reason }) });
  });

  const separators = [' - ', ': ', ' ', ', ', ' – ', ' — ', '; ', '. '];
  it.each(separators)('reads a text that follows the code and %j in error_code first', (between) => {
    const error_code = `${code}${between}Conta encerrada - fale com o banco`;
    const expected = { code, meaning, reason: 'Conta encerrada - fale com o banco' };
    expect(failureOf({ error_code, message: 'failed' })).toEqual(expected);
  });
});

it.each([
  [' PE0004 - Conta:  encerrada \n', 'PE0004', 'Conta:  encerrada'],
  ['XPE0004 - Conta encerrada', 'XPE0004 - Conta encerrada', undefined],
  ['X PE0004', 'X PE0004', undefined],
  ['PE0004(Conta: encerrada)', 'PE0004', '(Conta: encerrada)'],
])('payoutFailure reads the code only where error_code %j begins with it', (error_code, code, reason) => {
  const failure = failureOf({ error_code, message: null });
  expect([failure?.code, failure?.reason]).toEqual([code, reason]);
});

describe('payoutFailure of anything else', () => {
  it.each([
    { success: true },
    { success: true, error_code: 'PE0003', message: 'success' },
    { success: undefined as never, error_code: 'PE0003' },
  ])('gives undefined for a payout that did not fail: %j', (payload) => {
    expect(payoutFailure(payload)).toBeUndefined();
  });

  const unknown = ['PE0005', 'PE00031', 'X', 'constructor', '__proto__', 'toString'];
  it.each(unknown)('gives the code %s, which the document does not explain, with no meaning', (code) => {
    expect(failureOf({ error_code: code, message: 'failed' })).toEqual({ code, meaning: undefined });
  });

  it('gives no code where error_code has none, whatever the message says', () => {
    for (const error_code of [undefined, null, '']) {
      const failure = failureOf({ error_code, message: 'PE0003 - closed' });
      expect(failure).toEqual({ code: undefined, meaning: undefined });
    }
  });

  // A pattern that backtracks would take minutes, more than the limit of a test.
  it('reads a text of any length at once', () => {
    const long = `PE0004${' -'.repeat(200_000)} x`;
    expect(failureOf({ error_code: long, message: long })).toMatchObject({ code: 'PE0004', reason: 'x' });
  });
});
