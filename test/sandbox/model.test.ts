import { readdirSync, readFileSync } from 'node:fs';
import { sequentialIds } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { ServiceModel } from '../../src/sandbox/model/service-model';
import { credentials, headers, openSandbox, order } from './helpers';

const checkout = '/v1.1/checkout/pix-automatic';
const now = () => Date.UTC(2031, 0, 1, 2, 59, 59);

describe('the model', () => {
  it('gives the bytes that the server gives', async () => {
    const baseUrl = 'http://sandbox.test';
    const model = new ServiceModel({ credentials, baseUrl, now, ids: sequentialIds() });
    const { sandbox, call } = await openSandbox({ publicUrl: baseUrl, now, ids: sequentialIds() });
    const uuid = '00000000-0000-4000-8000-000000000001';
    const instructionId = '00000000-0000-4000-8000-000000000002';
    const calls = [
      ['POST', checkout, JSON.stringify(order)],
      ['POST', checkout, '{}'],
      ['GET', `/v1.1/transactions/${uuid}`, ''],
      ['GET', '/v1.1/transactions/nope', ''],
      ['PUT', `/v1.1/pix-automatic/scheduled-payments/${instructionId}/cancel`, '{"reason":"x"}'],
      ['PUT', `/v1.1/pix-automatic/scheduled-payments/${instructionId}/cancel`, '{"reason":"x"}'],
      ['GET', `/sandbox/qr-codes/${uuid}.png`, ''],
    ] as const;
    for (const [index, [method, path, body]] of calls.entries()) {
      const answer = await call(method, path, body || undefined);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const expected = model.handle({ method, path, headers, body });
      expect(answer.status).toBe(expected.status);
      expect(bytes.equals(Buffer.from(expected.body))).toBe(true);
      if (index === 0) {
        model.controls.pay(uuid);
        sandbox.pay(uuid);
      }
    }
  });

  it('writes date-times in its own zone', async () => {
    const { create, query } = await openSandbox({ now });
    expect((await query((await create()).uuid)).creation).toBe('2030-12-31 23:59:59');
    const utc = await openSandbox({ now, inventions: { utcOffsetMinutes: 0 } });
    expect((await utc.query((await utc.create()).uuid)).creation).toBe('2031-01-01 02:59:59');
  });

  it('answers a maxAge beyond any calendar with the last date of all', async () => {
    const { create, query } = await openSandbox();
    expect((await query((await create({ ...order, maxAge: 1e300 })).uuid)).maxAge).toBe(
      '9999-12-31 23:59:59',
    );
  });

  it('needs nothing of Node, so that the msw handlers can share it', () => {
    const directory = new URL('../../src/sandbox/model/', import.meta.url);
    for (const file of readdirSync(directory)) {
      expect(readFileSync(new URL(file, directory), 'utf8'), file).not.toMatch(/'node:|\b(Buffer|process)\b/);
    }
  });
});
