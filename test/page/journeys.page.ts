import { describe, expect, it, vi } from 'vitest';
import { isSkipped } from './browser';
import { clipboard, press, useBrowser } from './open-page';

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 50 });

describe.skipIf(isSkipped)('the journeys of the page', () => {
  const open = useBrowser();

  it('appear as soon as the client creates them, with everything that can be copied', async () => {
    const { page, create, sandbox, problems } = await open();
    await page.getByText('No journey yet').waitFor();
    const uuid = await create();
    const card = page.getByRole('group').filter({ hasText: 'order-1001' }).first();
    await card.waitFor();
    await page.getByText('R$59.70').first().waitFor();
    await page.getByText('PENDING').waitFor();
    await page.getByAltText('QR code of order-1001').waitFor();
    await until(async () =>
      expect(await page.evaluate('document.querySelector("img").naturalWidth')).toBeGreaterThan(100),
    );

    await press(page, 'Copy: UUID');
    expect(await clipboard(page)).toBe(uuid);
    await press(page, 'Copy: Reference');
    expect(await clipboard(page)).toBe('order-1001');
    await press(page, 'Copy-and-paste text: order-1001');
    expect(await clipboard(page)).toBe(sandbox.transactions[0]?.qrCodeText);
    await page.getByText(sandbox.transactions[0]?.qrCodeText ?? '').waitFor();
    await press(page, 'Copy: Connection');
    expect(await clipboard(page)).toContain(`PAYMENTS_BASE_URL=${sandbox.url}\nPAYMENTS_API_KEY=`);
    expect(problems).toEqual([]);
  });

  it('can be paid, and their scheduled payments paid or failed', async () => {
    const { page, create, sandbox } = await open();
    await create();
    await press(page, 'Pay: order-1001');
    await page.getByRole('heading', { name: /Scheduled payments invented by the sandbox/ }).waitFor();
    expect(sandbox.transactions[0]?.situation).toBe('PAID');
    await press(page, 'Copy: Instruction id 2031-01-31');
    expect(await clipboard(page)).toBe(sandbox.transactions[0]?.scheduledPayments[0]?.instructionId);
    await press(page, 'Pay the next one: order-1001');
    await page.getByText('FAILED').waitFor({ state: 'detached' });
    await until(() =>
      expect(sandbox.transactions[0]?.scheduledPayments.map(({ status }) => status)).toEqual([
        'PAID',
        'SCHEDULED',
        'SCHEDULED',
      ]),
    );
    await page.locator('.rows .good', { hasText: 'PAID' }).first().waitFor();
    await press(page, 'Fail the next one: order-1001');
    await page.getByText('FAILED').waitFor();
  });

  it('can be cancelled', async () => {
    const { page, create, sandbox } = await open();
    await create();
    await press(page, 'Cancel: order-1001');
    await page.getByText('CANCELLED').waitFor();
    expect(sandbox.transactions[0]?.situation).toBe('CANCELLED');
    expect(await page.getByRole('button', { name: 'Reverse: order-1001' }).count()).toBe(0);
  });

  it('can be refunded in part, and a refund of too much says why it is refused', async () => {
    const { page, create, sandbox } = await open();
    sandbox.pay(await create());
    const amount = page.getByLabel('Amount to refund: order-1001');
    await amount.fill('19.9');
    await press(page, 'Refund');
    await page.getByText('R$19.90').waitFor();
    await amount.fill('1000');
    await press(page, 'Refund');
    await page.getByRole('alert').getByText('up to 39.8').waitFor();
    await press(page, 'Dismiss');
    await page.getByRole('alert').getByText('up to 39.8').waitFor({ state: 'detached' });
    await amount.fill('');
    await press(page, 'Refund');
    await until(() => expect(sandbox.transactions[0]?.refunded).toBe(59.7));
  });

  it('can be reversed, and the reversals completed or cancelled', async () => {
    const { page, create, sandbox } = await open();
    await create();
    const states = () => sandbox.transactions[0]?.reversals.map(({ status }) => status);
    await press(page, 'Reverse: order-1001');
    await press(page, /^Cancel reversal: /);
    await page.getByText('CANCELLED', { exact: true }).waitFor();
    expect(states()).toEqual(['CANCELLED']);
    await press(page, 'Reverse: order-1001');
    await press(page, /^Complete: /);
    await until(() => expect(states()).toEqual(['CANCELLED', 'PAID']));
    const uuid = sandbox.transactions[0]?.reversals[0]?.uuid ?? '';
    await page.getByText(uuid).first().waitFor();
    await press(page, 'Reverse: order-1001');
    await page.getByRole('alert').getByText('Nothing is left').waitFor();
  });

  it('can play a scenario', async () => {
    const { page, create, sandbox } = await open();
    sandbox.pay(await create());
    await page.getByRole('combobox', { name: 'Scenario: order-1001' }).selectOption('no-funds-three-times');
    await press(page, 'Play scenario: order-1001');
    await page.getByText('custom', { exact: true }).first().waitFor();
    await until(() => expect(sandbox.deliveries.length).toBeGreaterThan(3));
  });

  it('show HTML in their reference code as text', async () => {
    const { page, create, problems } = await open();
    const referenceCode = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await create({ referenceCode });
    await page.getByText(referenceCode).first().waitFor();
    expect(await page.title()).toBe('Pix Automático sandbox');
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
