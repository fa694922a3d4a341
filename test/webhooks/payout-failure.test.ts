import { explainPixCode } from 'pix-automatic-sdk/pix';
import { type FailedPayout, parseNotification, payoutFailure } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { failedPayoutPayload } from './support';

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
  it('has the document’s meaning, and no reason where none follows', () => {
    expect(failureOf({ error_code: code, message: 'failed' })).toEqual({ code, meaning, reason: undefined });
    expect(failureOf({ error_code: code, message: null })).toEqual({ code, meaning, reason: undefined });
  });

  it.each([' - ', ': ', ' ', ', ', ' – ', ' — ', '; ', '. '])(
    'has the bank’s reason when it follows the code and %j, in error_code or message',
    (between) => {
      const text = `${code}${between}Conta encerrada - fale com o banco`;
      const expected = { code, meaning, reason: 'Conta encerrada - fale com o banco' };
      expect(failureOf({ error_code: text, message: 'failed' })).toEqual(expected);
      expect(failureOf({ error_code: code, message: text })).toEqual(expected);
      expect(failureOf({ error_code: null, message: text })).toEqual(expected);
      expect(failureOf({ error_code: code, message: `Payout failed (ref 7): ${text}` })).toEqual(expected);
    },
  );

  it('trims the bank’s reason at its ends and nowhere else', () => {
    expect(failureOf({ error_code: `${code} - account closed \n` }).reason).toBe('account closed');
    expect(failureOf({ error_code: `${code}(account closed)` }).reason).toBe('(account closed)');
  });

  it('prefers the reason in error_code to the one in message', () => {
    const failure = failureOf({ error_code: `${code} - one`, message: `${code} - other` });
    expect(failure.reason).toBe('one');
  });
});

describe('payoutFailure with explainPixCode', () => {
  const explained = (error_code: string | null, message: string | null) =>
    payoutFailure({ error_code, message }, explainPixCode).explanation;

  it.each([
    ['PE0003 - AC07', 'failed', 'AC07'],
    ['PE0003', 'PE0003 - AC07: conta encerrada', 'AC07'],
    ['PE0004', 'ERRO (DUPL) PAGO', 'DUPL'],
    ['PE0004', 'AM02, AC07', 'AM02'],
    [null, 'BE17', 'BE17'],
  ])('explains the bank’s code in %j and %j', (errorCode, message, code) => {
    expect(explained(errorCode, message)).toEqual(explainPixCode(code, 'payout'));
    expect(explained(errorCode, message)).toBeDefined();
  });

  it.each([
    ['PE0003', 'closed'],
    ['PE0003', 'XX99 AC070 xAC07 ac07'],
    // A code of refused charges, not of payouts.
    ['PE0004', 'AB10'],
    [null, null],
  ])('explains nothing in %j and %j', (errorCode, message) => {
    expect(explained(errorCode, message)).toBeUndefined();
  });

  it('keeps the rest of the result, and has no explanation without the function', () => {
    const payload = { error_code: 'PE0003 - AC07', message: null };
    const { explanation, ...rest } = payoutFailure(payload, (code, context) =>
      explainPixCode(code, context, 'en'),
    );
    expect(explanation?.meaning).toBe('Account closed');
    expect(rest).toEqual(payoutFailure(payload));
    expect(payoutFailure(payload)).not.toHaveProperty('explanation');
  });
});

describe('payoutFailure of anything else', () => {
  it('takes no reason from a message about another code', () => {
    expect(failureOf({ error_code: 'PE0001', message: 'PE0003 - closed' })).toEqual({
      code: 'PE0001',
      meaning: meanings[0][1],
      reason: undefined,
    });
  });

  it.each(['PE0005', 'PE00031', 'X', 'constructor', '__proto__', 'toString'])(
    'gives the code %s with no meaning: the document does not explain it',
    (code) => {
      expect(failureOf({ error_code: code, message: 'failed' })).toEqual({
        code,
        meaning: undefined,
        reason: undefined,
      });
    },
  );

  it('gives no code where there is none', () => {
    const none = { code: undefined, meaning: undefined, reason: undefined };
    expect(failureOf({ error_code: undefined, message: 'failed' })).toEqual(none);
    expect(failureOf({ error_code: null, message: null })).toEqual(none);
    expect(payoutFailure({})).toEqual(none);
  });

  it('reads a code whatever surrounds it, and at once in a text of any length', () => {
    expect(failureOf({ error_code: 'code=PE0002', message: null }).code).toBe('PE0002');
    const long = `${' '.repeat(200_000)}PE0004${' -'.repeat(200_000)} x`;
    const start = performance.now();
    expect(failureOf({ error_code: null, message: long })).toMatchObject({ code: 'PE0004', reason: 'x' });
    // A pattern that backtracks would take minutes.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
