import { describe, expect, it, vi } from 'vitest';
import { pageVerify } from '../../src/cli/commands/sandbox';
import { faultKinds } from '../../src/sandbox/faults';
import type { VerifyResult } from '../../src/sandbox/page/page-state';
import { loadBlock } from '../docs/run-block';
import { isSkipped } from './browser';
import { press, until, useBrowser } from './open-page';

const open = useBrowser();

describe.skipIf(isSkipped)('the tab', () => {
  it('of the listener shows the result of the real check, and the developer’s own sales stay', async () => {
    const pair = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };
    let url = '';
    const { page, create, sandbox, webhookUrl } = await open({
      verify: (request) => pageVerify(() => url, pair, {})(request),
    });
    url = sandbox.url;
    await create();
    await page.getByRole('link', { name: 'Listener' }).click();
    await press(page, 'Check now');
    await page.getByRole('progressbar').waitFor();
    await page.locator('.checks li').first().waitFor({ timeout: 240_000 });
    expect(await page.locator('.checks li').count()).toBeGreaterThan(15);
    await page.locator('.result').getByText('failed').waitFor();
    expect(await page.getByLabel('Listener URL').inputValue()).toBe(webhookUrl);
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('link', { name: /order-1001/ }).waitFor();
    expect(await page.locator('.items li').count()).toBe(1);
    await page.getByRole('link', { name: 'Calls' }).click();
    // The story of the sale shows the call, too: it is gone once the tab is open.
    await page.locator('.tabs a[aria-current=page]', { hasText: 'Calls' }).waitFor();
    await page.getByRole('group', { name: 'createRecurringCheckout' }).waitFor();
    expect(await page.getByRole('group', { name: 'createRecurringCheckout' }).count()).toBe(1);
  }, 300_000);

  it.each([
    ['en-US', 'Check now', /^Usually: /, /^It ended early: the first payment/, 'What it cannot see'],
    ['pt-BR', 'Verificar agora', /^Em geral: /, /^Terminou antes do fim: the first/, 'O que ela não vê'],
  ])('of the listener shows what was sent, the usual causes and why it ended: %s', async (...row) => {
    const [locale, button, cause, ended, notSeen] = row;
    const pair = { apiKey: 'sandbox-api-key', apiToken: 'sandbox-api-token' };
    let reports = 0;
    let url = '';
    const { page, sandbox, answerWith } = await open({
      context: { locale },
      async verify(request, isPortuguese) {
        const report = await pageVerify(() => url, pair, {})(request, isPortuguese);
        // What a run that holds cannot see is told at its end, which this listener does not reach.
        const checks = [{ ...report.checks[0], sent: ['a payment: HTTP 200'] } as VerifyResult];
        return reports++ === 0 ? report : { checks, ended: undefined, notSeen: ['keys that expire.'] };
      },
    });
    url = sandbox.url;
    answerWith(401);
    await page.goto(`${sandbox.url}/#listener`);
    await press(page, button);
    const step = page.locator('.checks li');
    await step.getByText(cause).waitFor();
    await step.getByText(/^refused: a payment: HTTP 401/).waitFor();
    await step.getByText('PAYMENTS_API_TOKEN').waitFor();
    await page.getByText(ended).waitFor();
    await press(page, button);
    await page.getByText(notSeen).click();
    await page.getByText('keys that expire').waitFor();
    await step.getByText('→ a payment: HTTP 200').waitFor();
    expect(await page.getByText(ended).count()).toBe(0);
  });

  it('of sales has settings and code that run as they are', async () => {
    const { page, sandbox } = await open();
    await page.goto(`${sandbox.url}/#sales/new`);
    const [settings = '', code = ''] = await page.locator('.snippet pre').allInnerTexts();
    for (const line of settings.split('\n')) vi.stubEnv(...(line.split('=') as [string, string]));
    const whole = `${code}\nexport { orders };`;
    const { orders } = await loadBlock({ code: whole, info: 'ts', place: 'the page' });
    vi.unstubAllEnvs();
    expect(sandbox.transactions).toMatchObject([{ referenceCode: 'order-1001', amount: 59.7 }]);
    const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    sandbox.pay(String(sandbox.transactions[0]?.uuid));
    await orders.reconcile();
    expect(printed.mock.calls).toEqual([['Paid:', 'order-1001', 59.7]]);
    printed.mockRestore();
  });

  it('of the listener saves where notifications go, or that none go', async () => {
    const { page, sandbox } = await open();
    await page.getByRole('link', { name: 'Listener' }).click();
    const field = page.getByLabel('Listener URL');
    await field.fill('http://127.0.0.1:1/nobody');
    await press(page, 'Save');
    await page.getByText('Listener URL: saved').waitFor();
    expect(sandbox.webhookUrl).toBe('http://127.0.0.1:1/nobody');
    // The field is filled anew when the page learns of the saved URL, so this may take a second try.
    await until(async () => {
      await field.fill('');
      await press(page, /^Save/);
      expect(sandbox.webhookUrl).toBeUndefined();
    });
  });

  it('of deliveries says which sale each is about, and copies it as a curl', async () => {
    const { page, create, sandbox } = await open();
    sandbox.pay(await create());
    sandbox.payOut({ amount: 1 });
    await page.getByRole('link', { name: 'Deliveries' }).click();
    const lines = page.locator('.entry > summary');
    await lines.filter({ hasText: 'Payout' }).getByText('about no sale').waitFor();
    // One line each, of the height of a button.
    for (const line of await lines.all()) expect((await line.boundingBox())?.height).toBeLessThan(60);
    for (const line of await lines.all()) await line.click();
    await press(page, 'Copy as curl: delivery-1');
    await until(async () => {
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
        /^curl -X POST .*"newStatus":"PAID"/,
      );
    });
    await page
      .getByRole('group', { name: 'payment delivery-1' })
      .getByRole('link', { name: 'order-1001' })
      .click();
    await page.getByRole('article', { name: 'order-1001' }).waitFor();
  });

  it.each(['en-US', 'pt-BR'])('of deliveries has one line each on a phone, too: %s', async (locale) => {
    const { page, create, sandbox } = await open({
      context: { locale, viewport: { width: 390, height: 844 } },
    });
    sandbox.pay(await create({ referenceCode: 'a-very-long-reference-'.repeat(3) }));
    sandbox.notify({ event: 'charge', dueDate: '2031-02-28', status: 'CHARGED' }, 'type=recurrence');
    sandbox.payOut({ amount: 1 });
    await page.locator('.tabs a[href="#deliveries"]').click();
    const lines = page.locator('.entry > summary');
    await until(async () => expect(await lines.count()).toBe(3));
    for (const line of await lines.all()) {
      expect((await line.boundingBox())?.height).toBeLessThan(60);
      const shown = await line.locator(':scope > *:visible').all();
      for (const part of shown) expect((await part.boundingBox())?.height).toBeLessThan(30);
    }
  });

  it('is left without losing what was typed, and what was cleared can still be put back', async () => {
    const { page, sandbox } = await open();
    await page.getByRole('link', { name: 'Simulate' }).click();
    await page.getByLabel('Body (JSON object)').fill('{"own":1}');
    sandbox.fault('getTransaction', { kind: 'status', status: 502 });
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByRole('link', { name: 'Simulate' }).click();
    await press(page, 'Clear all faults');
    await page.getByRole('button', { name: 'Put the faults back' }).waitFor();
    await page.getByRole('link', { name: 'Simulate' }).click();
    expect(await page.getByLabel('Body (JSON object)').inputValue()).toBe('{"own":1}');
    await page.getByRole('link', { name: 'Simulate' }).click();
    await press(page, 'Put the faults back');
    await until(() => expect(sandbox.pendingFaults).toHaveLength(1));
  });

  it('of deliveries finds by kind, result and words, and shows the month and the status of an own kind', async () => {
    const { page, create, sandbox, answerWith, received } = await open();
    sandbox.pay(await create({ referenceCode: 'order-1001' }));
    sandbox.pay(await create({ referenceCode: 'order-1002' }));
    sandbox.notify({ event: 'charge', dueDate: '2031-02-28', status: 'CHARGED' }, 'type=recurrence');
    await until(() => expect(received).toHaveLength(3));
    answerWith(503);
    sandbox.payOut({ amount: 1 });
    await page.getByRole('link', { name: 'Deliveries' }).click();
    const lines = page.locator('.entry > summary');
    await until(async () => expect(await lines.count()).toBe(4));
    await lines.filter({ hasText: '2031-02 · CHARGED' }).waitFor();
    await page.getByLabel('Kind').selectOption('payment');
    await until(async () => expect(await lines.count()).toBe(2));
    await page.getByRole('searchbox').fill('order-1002');
    await until(async () => expect(await lines.count()).toBe(1));
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Kind').selectOption('');
    await page.getByLabel('Result').selectOption('pending');
    await until(async () => expect(await lines.allInnerTexts()).toEqual([expect.stringContaining('Payout')]));
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No delivery fits.').waitFor();
  });

  it('of calls shows advice, what is invented, and what was answered', async () => {
    const { page, create, call } = await open();
    await create({ shopper: { docment: {}, document: { type: 'CPF', number: '123.456.789-09' } } });
    await call('GET', '/v1.1/transactions/nope');
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByRole('group', { name: 'createRecurringCheckout' }).getByText('HTTP 200').click();
    await page.getByText('Not in the document: shopper.docment').waitFor();
    const unknown = page.getByRole('group', { name: 'getTransaction' });
    await unknown.getByText('HTTP 404').click();
    await unknown.getByText('invented by the sandbox').waitFor();
    await unknown.getByText('Answer', { exact: true }).click();
    await unknown.getByText('transaction not found').waitFor();
  });

  it('of faults arms a fault by one form, for the next call or for every one, and clears all', async () => {
    const { page, sandbox, call } = await open();
    await page.getByRole('link', { name: 'Simulate' }).click();
    await page.getByRole('combobox', { name: 'Operation' }).selectOption('getTransaction');
    await page.getByLabel('What goes wrong').selectOption('status');
    await page.getByRole('textbox', { name: 'HTTP status' }).fill('502');
    await press(page, 'Arm the fault');
    await page.getByText('Query a transaction: other HTTP status 502').waitFor();
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(502);
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(404);
    await page.getByLabel('With this status, the operation is still carried out').check();
    await page.getByRole('radio', { name: 'every call' }).check();
    await press(page, 'Arm the fault');
    await page.locator('.badge', { hasText: 'every call' }).waitFor();
    await until(() => expect(sandbox.pendingFaults).toMatchObject([{ fault: { takesEffect: true } }]));
    await press(page, 'Clear all faults');
    await until(() => expect(sandbox.pendingFaults).toEqual([]));
    await press(page, 'Put the faults back');
    await until(() => expect(sandbox.pendingFaults).toMatchObject([{ fault: { takesEffect: true } }]));
  });

  it('of faults offers each kind with its value, and the sandbox takes it', async () => {
    const { page, sandbox } = await open();
    await page.getByRole('link', { name: 'Simulate' }).click();
    const select = page.getByLabel('What goes wrong');
    const kinds = faultKinds;
    for (const [index, kind] of kinds.entries()) {
      await select.selectOption(kind);
      await press(page, 'Arm the fault');
      await until(() => expect(sandbox.pendingFaults[index]).toMatchObject({ fault: { kind } }));
      // Until the page shows it: only then has it drawn the form again.
      await until(async () => expect(await page.locator('.badge').count()).toBe(index + 1));
    }
    expect(kinds).toHaveLength(10);
  });

  it('of sending sends a notification of your own once it is JSON, and a payout of ten and a half', async () => {
    const { page, received } = await open();
    await page.getByRole('link', { name: 'Simulate' }).click();
    const body = page.getByLabel('Body (JSON object)');
    await body.fill('[1]');
    await press(page, 'Send a notification of your own');
    await page.getByRole('alert').getByText('not a JSON object').waitFor();
    await body.fill('{"own":1}');
    await press(page, 'Send a notification of your own');
    await until(() => expect(received).toEqual(['{"own":1}']));
    await page.getByLabel('Amount', { exact: true }).fill('10,50');
    await page.getByLabel('Make it fail').selectOption('PE0003');
    await press(page, 'Pay out');
    await until(() => expect(received[1]).toMatch(/"error_code":"PE0003".*"amount":10.5/));
  });
});
