import { describe, expect, it, vi } from 'vitest';
import { isSkipped } from './browser';
import { press, useBrowser } from './open-page';

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 50 });

describe.skipIf(isSkipped)('the calls of the page', () => {
  const open = useBrowser();

  it('appear live, with advice on unknown fields, punctuation and past dates', async () => {
    const { page, create, call } = await open();
    await create({
      shopper: { docment: {}, document: { type: 'CPF', number: '123.456.789-09' } },
      recurrence: { immediatePayment: true, calendar: { initialDate: '2020-01-31', periodicity: 'MONTHLY' } },
    });
    const advice = page.locator('.advice');
    await advice.getByText('shopper.docment: The document has no such field').waitFor();
    await advice.getByText('shopper.document.number: Write the CPF without punctuation').waitFor();
    await advice.getByText('recurrence.calendar.initialDate: The first date is in the past').waitFor();
    await call('GET', '/v1.1/transactions/nope');
    const unknown = page.getByRole('article', { name: 'getTransaction' });
    await unknown.getByText('HTTP 404').waitFor();
    await unknown.getByText('invented by the sandbox (§7.2)').waitFor();
    await unknown.getByText('Answer').click();
    await unknown.getByText('transaction not found').waitFor();
  });

  it('fail as their switches say, one switch for each operation and fault', async () => {
    const { page, sandbox, call } = await open();
    const set = vi.spyOn(sandbox, 'fault');
    const switches = page.getByRole('switch');
    const count = await switches.count();
    expect(count).toBe(27);
    for (let index = 0; index < count; index++) {
      await switches.nth(index).click();
      await until(async () => expect(await switches.nth(index).getAttribute('aria-checked')).toBe('true'));
    }
    const kinds = set.mock.calls.map(([operation, fault]) => `${operation} ${fault.kind}`);
    expect(new Set(kinds).size).toBe(24);
    // Only one switch per operation stays on.
    expect(await page.locator('[role=switch][aria-checked=true]').count()).toBe(3);
    await press(page, 'Clear all faults');
    await until(async () => expect(await page.locator('[role=switch][aria-checked=true]').count()).toBe(0));

    const status = page.getByRole('switch', { name: 'other HTTP status: getTransaction' });
    await page.getByRole('spinbutton', { name: 'HTTP status' }).fill('502');
    await status.click();
    await until(async () => expect(await status.getAttribute('aria-checked')).toBe('true'));
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(502);
    // The fault was for the next call only.
    await until(async () => expect(await status.getAttribute('aria-checked')).toBe('false'));
    await page.getByText('fault: status').waitFor();

    await page.getByLabel('How often').selectOption('every');
    await page.getByLabel('Delay in milliseconds').fill('1');
    const late = page.getByRole('switch', { name: 'late answer: getTransaction' });
    await late.click();
    await until(() => expect(set.mock.lastCall?.[1]).toMatchObject({ kind: 'latency', ms: 1 }));
    await call('GET', '/v1.1/transactions/x');
    await until(async () => expect(await late.getAttribute('aria-checked')).toBe('true'));
    await late.click();
    await until(async () => expect(await late.getAttribute('aria-checked')).toBe('false'));
  });
});
