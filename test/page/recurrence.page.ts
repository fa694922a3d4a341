import { describe, expect, it } from 'vitest';
import { isSkipped } from './browser';
import { press, until, useBrowser } from './open-page';

const open = useBrowser();
const sandbox = { inventions: { recurrenceEvents: 'events' as const } };

describe.skipIf(isSkipped)('the recurrence of a sale', () => {
  it('is charged, fails, is made up for and cancelled, and its months say what was delivered', async () => {
    const { page, create, sandbox: running, received } = await open({ sandbox });
    await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    await press(page, 'Pay: order-1001');
    await page.getByText('Next charge: Jan 31, 2031').waitFor();
    await press(page, 'Charge next month: order-1001');
    await page.getByText('Next charge: Feb 28, 2031').waitFor();
    await press(page, 'Let it fail: order-1001');
    await page.locator('form[data-control=charge] [name=fails]').selectOption('AC06');
    await page.locator('form[data-control=charge] [name=retry]').check();
    await press(page, 'Let it fail');
    await page.getByText('will be tried again', { exact: true }).waitFor();
    await press(page, 'Charge next month: order-1001');
    await page.getByText('Next charge: Mar 31, 2031').waitFor();
    const months = page.locator('.months > li');
    const told = async (month: number) =>
      (await months.nth(month).locator('.told > li').allInnerTexts())
        .map((text) => text.replace('\n', ' '))
        .sort();
    await until(async () =>
      expect(await told(1)).toEqual([
        'CHARGE_FAILED delivered',
        'CHARGE_PAID delivered',
        'CHARGE_SCHEDULED delivered',
      ]),
    );
    expect(await told(0)).toEqual(['CHARGE_PAID delivered', 'CHARGE_SCHEDULED delivered']);
    expect(await told(2)).toEqual([]);
    const february = await months.nth(1).innerText();
    for (const part of ['Feb 28, 2031', 'R$29.90', 'paid', 'AC06: Account blocked. Tried again.']) {
      expect(february).toContain(part);
    }
    await press(page, 'Payer cancels: order-1001');
    await page.getByText('The recurrence was cancelled').waitFor();
    expect(await page.locator('[data-control=charge]').count()).toBe(0);
    expect(running.transactions[0]?.recurrence.status).toBe('CANCELLED');
    const events = received.map((body) => JSON.parse(body).eventType).filter(Boolean);
    expect(events.sort()).toEqual(
      [
        ...['AUTHORIZED', 'CANCELLED', 'CHARGE_FAILED', 'CHARGE_PAID', 'CHARGE_PAID'],
        ...['CHARGE_SCHEDULED', 'CHARGE_SCHEDULED'],
      ].map((event) => `RECURRENCE_${event}`),
    );
  });

  it('is moved by the keyboard alone, in Portuguese, on a phone', async () => {
    const context = { locale: 'pt-BR', viewport: { width: 390, height: 844 } };
    const { page, create, sandbox: running } = await open({ sandbox, context });
    running.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.getByRole('button', { name: 'Cobrar o próximo mês: order-1001' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Próxima cobrança: 28 de fev. de 2031').waitFor();
    // The focus stays: the next Tab is the next action.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate('document.activeElement.name');
    await until(async () => expect(await focused()).toBe('fails'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('será tentado de novo', { exact: true }).waitFor();
    await page.getByText('AM04: Saldo insuficiente. Com nova tentativa.').waitFor();
    await page.getByRole('button', { name: 'Pagador cancela: order-1001' }).focus();
    await page.keyboard.press('Enter');
    await until(() => expect(running.transactions[0]?.recurrence.status).toBe('CANCELLED'));
  });

  it('that the payer has not accepted is refused or expires, and nothing can be paid then', async () => {
    const { page, create, sandbox: running } = await open({ sandbox });
    await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    await press(page, 'Payer refuses: order-1001');
    await page.getByText('The recurrence has ended: nothing can be accepted or paid.').waitFor();
    expect(await page.locator('[data-control=pay], [data-control=authorize]').count()).toBe(0);
    expect(running.transactions[0]?.recurrence.status).toBe('REJECTED');
  });
});
