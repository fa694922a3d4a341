import { describe, expect, it } from 'vitest';
import { isSkipped } from './browser';
import { clipboard, press, until, useBrowser } from './open-page';

const open = useBrowser();

describe.skipIf(isSkipped)('a sale on the page', () => {
  it('is one story in order of time: the call, what happened, the deliveries with their answers', async () => {
    const { page, create, answerWith, sandbox } = await open();
    answerWith(503);
    const uuid = await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    await press(page, 'Pay: order-1001');
    const story = page.getByRole('article', { name: 'order-1001' });
    await story.getByText('database is down').waitFor();
    const entries = await story.locator('.line > li').allInnerTexts();
    expect(entries.map((text) => text.split('\n')[0])).toEqual([
      'Create a journey',
      'The payer paid',
      'Payment notification',
    ]);
    expect(entries[2]).toMatch(/pending\s[\s\S]*next attempt in \d+ s/);
    expect(entries[2]).toMatch(/Attempt 1\s+HTTP 503/);
    answerWith(200);
    await press(page, /^Send again/);
    await story.getByText('delivered', { exact: true }).waitFor();
    expect(sandbox.transactions).toMatchObject([{ uuid, situation: 'PAID' }]);
  });

  it('asks for bodies only when they are unfolded, as indented JSON', async () => {
    const { page, create, sandbox } = await open();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    sandbox.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    const story = page.getByRole('article', { name: 'order-1001' });
    await story.getByText('Request as sent').waitFor();
    expect(asked.filter((path) => /page\/(calls|deliveries)\//.test(path))).toEqual([]);
    await story.getByText('Request as sent').click();
    await story.getByText('"newStatus": "PAID"').waitFor();
    await story.getByText('Authorization: Basic ***').waitFor();
    await story.getByText('Answer', { exact: true }).click();
    await story.getByText('"chosen": "PIX_RECURRENCE"').waitFor();
    expect(asked.filter((path) => /page\/(calls|deliveries)\//.test(path))).toHaveLength(2);
  });

  it('can be refunded with the amount as the language writes it, reversed, and copied from', async () => {
    const { page, create, sandbox, problems } = await open({ context: { locale: 'pt-BR' } });
    const uuid = await create();
    sandbox.pay(uuid);
    await page.getByRole('link', { name: /order-1001/ }).click();
    await press(page, 'Devolver: order-1001');
    await page.locator('.story form.control input[name=amount]').fill('1.000,00');
    await press(page, 'Devolver');
    await page
      .getByRole('alert')
      .getByText('Valor precisa estar acima de 0 e ser no máximo R$ 59,70')
      .waitFor();
    expect(problems, 'a refusal is no error in the console').toEqual([]);
    await page.locator('.story form.control input[name=amount]').fill('10,50');
    await press(page, 'Devolver');
    await page.getByText('Uma devolução foi creditada').waitFor();
    expect(sandbox.transactions[0]).toMatchObject({ refunded: 10.5 });
    await press(page, 'Devolver: order-1001');
    await page.locator('.story form.control input[name=reason]').fill('avaria');
    await press(page, 'Voltar');
    await press(page, 'Devolver: order-1001');
    expect(await page.locator('.story form.control input[name=reason]').inputValue()).toBe('avaria');
    await press(page, 'Voltar');
    await press(page, 'Estornar: order-1001');
    await press(page, 'Estornar');
    await press(page, /^Concluir o estorno/);
    await until(() =>
      expect(sandbox.transactions[0]?.reversals).toMatchObject([{ status: 'PAID', amount: 49.2 }]),
    );
    await press(page, 'Copiar: UUID');
    expect(await clipboard(page)).toBe(uuid);
    // Outside a secure context only the old command copies.
    await page.evaluate(`(async () => {
      const clipboard = navigator.clipboard;
      await clipboard.writeText('');
      window.read = () => clipboard.readText();
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    })()`);
    await press(page, 'Copiar: UUID');
    await until(async () => expect(await page.evaluate('window.read()')).toBe(uuid));
  });

  it('without an immediate payment is authorized, and its months are paid, fail and are cancelled', async () => {
    const { page, sandbox } = await open();
    await page.getByLabel('Without an immediate payment: authorize only').check();
    await page.getByLabel('Your order identifier').fill('order-7');
    await press(page, 'Create a test journey');
    await press(page, 'Authorize: order-7');
    await page.getByText('The payer authorized').waitFor();
    expect(sandbox.transactions).toMatchObject([{ situation: 'PENDING', isAuthorized: true }]);
    expect(sandbox.deliveries).toEqual([]);
    const statuses = () => sandbox.transactions[0]?.scheduledPayments.map(({ status }) => status);
    await press(page, 'Charge next month: order-7');
    await until(() => expect(statuses()).toEqual(['PAID', 'SCHEDULED', 'SCHEDULED']));
    await page.getByText('A scheduled payment was charged').waitFor();
    await press(page, 'Let it fail: order-7');
    await press(page, 'Let it fail');
    await page.getByText('A scheduled payment failed').waitFor();
    await page
      .locator('.months')
      .getByRole('button', { name: /^Cancel the payment: / })
      .click();
    await page.locator('.months form').getByRole('button', { name: 'Cancel the payment' }).click();
    await until(() => expect(statuses()).toEqual(['PAID', 'FAILED', 'CANCELLED']));
  });

  it('says what is invented and why, by a click or a touch', async () => {
    const { page, create, sandbox } = await open();
    sandbox.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.getByText('invented by the sandbox').first().click();
    await page.getByText('because the document names them and shows none').waitFor();
    expect(await page.getByText('§').count()).toBe(0);
  });
});

describe.skipIf(isSkipped)('the list of sales', () => {
  it('begins with a way to create one, here or in code', async () => {
    const { page, sandbox } = await open();
    await page.getByText('orders.open').waitFor();
    await press(page, 'Create a test journey');
    await page.getByRole('article', { name: 'test-1' }).waitFor();
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('finds, filters and pages 20,000 journeys', async () => {
    const { page, sandbox } = await open();
    for (let index = 1; index <= 20_000; index++)
      sandbox.createTestJourney({ referenceCode: `order-${index}` });
    await page.getByText('1–50 of 20,000').waitFor();
    await press(page, 'Older');
    await page.getByText('51–100 of 20,000').waitFor();
    await page.getByRole('searchbox').fill('order-777');
    await page.getByRole('link', { name: /^order-777 / }).click();
    await press(page, 'Pay: order-777');
    await page.getByText('The payer paid').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('State').selectOption('PAID');
    await until(async () => expect(await page.locator('.items li').count()).toBe(1));
  });

  it('comes first on a phone, where a story is a page of its own', async () => {
    const { page, create } = await open({
      context: { viewport: { width: 390, height: 800 }, hasTouch: true },
    });
    await create();
    await page.getByRole('link', { name: /order-1001/ }).tap();
    await page.getByRole('article', { name: 'order-1001' }).waitFor();
    expect(await page.getByRole('searchbox').isVisible()).toBe(false);
    await page.getByRole('link', { name: /All sales/ }).tap();
    await page.getByRole('searchbox').waitFor();
  });
});
