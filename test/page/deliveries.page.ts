import { describe, expect, it, vi } from 'vitest';
import { isSkipped } from './browser';
import { clipboard, press, useBrowser } from './open-page';

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 50 });

describe.skipIf(isSkipped)('the deliveries of the page', () => {
  const open = useBrowser();

  it('show each attempt with its answer, count down to the next one, and can be sent again by hand', async () => {
    const { page, create, sandbox, answerWith, received } = await open();
    answerWith(503);
    sandbox.pay(await create());
    await page.getByText('HTTP 503').waitFor();
    await page.getByText('Answer: {"message":"database is down"}').waitFor();
    await page.getByText(/next attempt in \d+ s/).waitFor();
    answerWith(200);
    await press(page, 'Redeliver: delivery-1');
    await page.getByText('Attempt 2 (redelivered)').waitFor();
    await page.getByText('delivered', { exact: true }).waitFor();
    expect(received).toHaveLength(2);
    expect(await page.getByText(/next attempt in/).count()).toBe(0);
  });

  it('show the request with its credentials masked, and copy it as a curl', async () => {
    const credentials = { apiKey: 'merchant-key', apiToken: 'merchant-token' };
    const { page, create, sandbox, webhookUrl, received } = await open({ sandbox: { credentials } });
    sandbox.pay(await create({ referenceCode: "it's" }));
    await page.getByText('Request as sent').click();
    await page.getByText('Authorization: Basic ***').waitFor();
    await press(page, 'Copy as curl: delivery-1');
    const curl = await clipboard(page);
    expect(curl).toBe(
      `curl -X POST '${webhookUrl}' -u "$PAYMENTS_API_KEY:$PAYMENTS_API_TOKEN" ` +
        `-H 'content-type: application/json' --data-raw '${received[0]?.replaceAll("'", "'\\''")}'`,
    );
    expect(await page.content()).not.toMatch(/merchant-(key|token)/);
  });

  it('come from payouts that are made, and from payouts that fail with each code', async () => {
    const { page, sandbox, received } = await open();
    await page.getByLabel('Amount', { exact: true }).fill('12.5');
    await press(page, 'Pay out');
    for (const code of ['PE0001', 'PE0002', 'PE0003', 'PE0004']) {
      await page.getByLabel('Outcome').selectOption(code);
      await page.getByLabel("The bank's reason (optional)").fill('account closed');
      await press(page, 'Pay out');
      await until(() => expect(received.at(-1)).toContain(`"error_code":"${code}"`));
      expect(received.at(-1)).toContain(`${code}: account closed`);
    }
    await page.getByText('delivery-5').waitFor();
    expect(sandbox.deliveries.map(({ kind }) => kind)).toEqual(Array(5).fill('payout'));
    expect(received[0]).toContain('"amount":12.5');
  });

  it('can be of a notification of your own, once it is JSON', async () => {
    const { page, received } = await open();
    await page.getByLabel('Body (JSON object)').fill('[1]');
    await press(page, 'Send');
    await page.getByRole('alert').getByText('not a JSON object').waitFor();
    await page.getByLabel('Body (JSON object)').fill('{"own":1}');
    await page.getByLabel('Query flags (optional)').fill('type=own');
    await press(page, 'Send');
    await page.getByText('custom', { exact: true }).waitFor();
    expect(received).toEqual(['{"own":1}']);
  });

  it('go to the URL that was saved, or nowhere when none is', async () => {
    const { page, sandbox, received } = await open();
    const field = page.getByLabel('Listener URL');
    await field.fill('http://127.0.0.1:1/nobody');
    await press(page, 'Save');
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    sandbox.payOut({ amount: 1 });
    await page.getByText('no answer: ECONNREFUSED').waitFor();
    await field.fill('');
    await press(page, 'Save');
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    sandbox.payOut({ amount: 1 });
    expect(sandbox.deliveries).toHaveLength(1);
    expect(received).toEqual([]);
  });

  it('can be checked with a button where there is a checklist', async () => {
    const asked: string[] = [];
    const found = {
      id: 'a',
      title: 'answers 200',
      verdict: 'failed',
      problems: ['it answered 202'],
      open: [],
      fix: 'answer 200',
    } as const;
    const verify = async (url: string) => {
      asked.push(url);
      return {
        checks: [
          found,
          { ...found, id: 'b', title: 'is prompt', verdict: 'passed' as const, fix: undefined },
        ],
      };
    };
    const { page, webhookUrl } = await open({ verify });
    await press(page, 'Check the listener');
    await page.getByText('it answered 202').first().waitFor();
    await page.getByText('Fix: answer 200').waitFor();
    await page.getByText('passed', { exact: true }).waitFor();
    expect(asked).toEqual([webhookUrl]);

    const without = await open();
    expect(await without.page.getByRole('button', { name: 'Check the listener' }).count()).toBe(0);
  });
});
