import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en } from '../../src/sandbox/page/app/texts.en';
import { pt } from '../../src/sandbox/page/app/texts.pt';
import { isSkipped } from './browser';
import { press, until, useBrowser } from './open-page';

// A developer used the page under a mouse, and found defects. A test for each kind, with the mouse and the keyboard.

const pageOf = useBrowser();
const field = (page: Page, name: string) => page.locator(`.story form [name="${name}"]`);
/** The element that has the focus: its tag, and its text unless it is the whole page. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    const one = document.activeElement;
    return one.cloneNode(false).outerHTML + (one === document.body ? '' : one.innerText);
  })()`) as Promise<string>;
const hash = (page: Page) => new URL(page.url()).hash;
const news = (page: Page) => page.locator('.news');

async function boxOf(page: Page, selector: string) {
  return JSON.stringify(await page.locator(selector).first().boundingBox());
}

/** Moves the mouse to the middle of what the selector finds. */
async function pointAt(page: Page, selector: string): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} cannot be seen`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
}

describe.skipIf(isSkipped)('what a tab has kept', () => {
  it.each([
    '{',
    'null',
    '7',
    '[]',
    '{"values":7}',
    '{"values":{"state":7},"page":1}',
    '{"values":{}}',
    '"x"',
  ])('does not blank the page if it is none of the page’s: %s', async (kept) => {
    const { page, create, problems } = await pageOf();
    await create({ referenceCode: 'order-1' });
    for (const name of ['view journeys', 'view deliveries', 'open sale']) {
      await page.evaluate(
        `sessionStorage.setItem('pix-sandbox ' + ${JSON.stringify(name)}, ${JSON.stringify(kept)})`,
      );
    }
    await page.reload();
    await page.getByRole('link', { name: /order-1/ }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(isSkipped)('nothing moves under the mouse', () => {
  it('when another sale comes: the open one stays, with its buttons, and so does the list under the mouse', async () => {
    const { page, create } = await pageOf();
    await create({ referenceCode: 'order-1' });
    await page.getByRole('link', { name: /order-1/ }).click();
    const pay = '.summary [data-control=pay]';
    await page.locator(pay).waitFor();
    await pointAt(page, '.items li');
    const [row, button, open] = [await boxOf(page, '.items li'), await boxOf(page, pay), hash(page)];
    await create({ referenceCode: 'order-2' });
    await page.locator('.waiting', { hasText: '1 new' }).waitFor();
    expect([await boxOf(page, '.items li'), await boxOf(page, pay), hash(page)]).toEqual([row, button, open]);
    expect(await page.locator('.items li').count()).toBe(1);
    await pointAt(page, pay);
    await until(async () => expect(await page.locator('.items li').count()).toBe(2));
    expect([await boxOf(page, pay), hash(page)]).toEqual([button, open]);
  });

  it('when a notification of a row fails: the row keeps its height', async () => {
    const { page, create, sandbox, answerWith } = await pageOf();
    const uuid = await create();
    await page.locator('.items li').waitFor();
    const before = JSON.parse(await boxOf(page, '.items li')).height;
    answerWith(500);
    sandbox.pay(uuid);
    await page.locator('.items .badge', { hasText: 'notification failed' }).waitFor();
    expect(JSON.parse(await boxOf(page, '.items li')).height).toBeCloseTo(before, 0);
  });

  it('by a double click: the second one does not press what has taken the place of the button', async () => {
    const { page, create, sandbox } = await pageOf();
    const recurrence = { immediatePayment: false, amount: { recurrenceAmount: 29.9 } };
    await create({ recurrence });
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('.summary [data-control=authorize]').dblclick({ delay: 120 });
    await page.getByText('The payer authorized').waitFor();
    await page.waitForTimeout(300);
    expect(sandbox.transactions[0]).toMatchObject({ situation: 'PENDING', isAuthorized: true });
  });
});

describe.skipIf(isSkipped)('what was open or typed survives', () => {
  it('a reload, the back button, another tab and another language: the sale, the filter and a form half typed', async () => {
    const { page, create, sandbox } = await pageOf();
    const uuid = await create();
    sandbox.pay(uuid);
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('[data-control=refund]').click();
    await page.keyboard.type('12.34');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByLabel('Result').selectOption('delivered');
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.reload();
    expect(hash(page)).toBe('#calls');
    await page.goBack();
    await page.getByLabel('Result').waitFor();
    expect(await page.getByLabel('Result').inputValue()).toBe('delivered');
    await page.getByRole('link', { name: 'Sales' }).click();
    expect(hash(page)).toBe(`#sales/${uuid}`);
    await page.getByRole('button', { name: 'Português' }).click();
    await page.locator('[data-control=refund]').click();
    expect(await field(page, 'amount').inputValue()).toBe('12.34');
    await page.keyboard.press('Enter');
    await until(() => expect(sandbox.transactions[0]).toMatchObject({ refunded: 12.34 }));
    await page.locator('[data-control=refund]').click();
    expect(await field(page, 'amount').inputValue()).toBe('');
  });

  // The address changes first, and the page is told of it later: by then, the sales may have come.
  it.each(['the newest sale comes', 'a sale is created'])('going to another tab while %s', async (what) => {
    const { page, create } = await pageOf();
    const isFirst = what === 'the newest sale comes';
    if (isFirst) await create();
    let answer: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(isFirst ? '**/sandbox/page/journeys?*' : '**/transactions', async (route) => {
      await isReleased;
      await route.continue();
    });
    // A browser that is slow to tell the page that its address has changed.
    await page.addInitScript(`addEventListener('hashchange', (event) => {
      event.stopImmediatePropagation();
      setTimeout(() => dispatchEvent(new HashChangeEvent('hashchange')), 2_000);
    }, { once: true })`);
    await page.goto(`${page.url().split('#')[0]}`);
    await page.reload();
    await page.getByRole('link', { name: 'Deliveries' }).waitFor();
    if (!isFirst) await press(page, 'Create a test journey');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    answer();
    await page.locator('.tabs a[href="#deliveries"][aria-current=page]').waitFor();
    expect(hash(page)).toBe('#deliveries');
  });
});

describe.skipIf(isSkipped)('an amount', () => {
  it.each([
    ['en-US', ['1,999', '0,001', '1e3', '1.234,56', '-5', '']],
    ['pt-BR', ['1.999', '0,001', '1e3', '1,234.56', '-5', '']],
  ])('that could be another in %s is refused at its field, and nothing is sent', async (locale, amounts) => {
    const { page, problems, sandbox } = await pageOf({ context: { locale } });
    await page.goto(`${sandbox.url}/#simulate`);
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    const amount = page.locator('form[data-control=pay-out] [name=amount]');
    for (const text of amounts) {
      await amount.fill(text);
      await page.keyboard.press('Enter');
      await page.locator('form[data-control=pay-out] [aria-invalid=true]').waitFor();
      const described = await amount.getAttribute('aria-describedby');
      const said = await page.locator(`[id="${described}"]`).innerText();
      const words = locale === 'pt-BR' ? [pt.notAmount, pt.required] : [en.notAmount, en.required];
      expect(said).toBe(words[text === '' ? 1 : 0]);
      expect(await focused(page)).toContain('name="amount"');
    }
    expect({ sent, problems }).toEqual({ sent: [], problems: [] });
  });

  it.each([
    ['en-US', '1,234.56', 1234.56],
    ['en-US', '1,234,567', 1_234_567],
    ['pt-BR', '1.234,56', 1234.56],
    ['pt-BR', '10.50', 10.5],
    ['pt-BR', 'R$ 10,5', 10.5],
  ])('with one meaning is read: %s %s', async (locale, text, amount) => {
    const { page, sandbox } = await pageOf({ context: { locale } });
    await page.goto(`${sandbox.url}/#simulate`);
    await page.locator('form[data-control=pay-out] [name=amount]').fill(text);
    await page.keyboard.press('Enter');
    await until(() => expect(sandbox.deliveries[0]?.payload).toMatchObject({ amount }));
  });
});

describe.skipIf(isSkipped)('an action', () => {
  it('says what it did, each of them', async () => {
    const { page, create, sandbox } = await pageOf();
    const uuid = await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    const did = async (control: string, said: string) => {
      await page.locator(`[data-control=${control}]`).first().click();
      if ((await page.locator(`form[data-control=${control}]`).count()) > 0)
        await page.keyboard.press('Enter');
      await until(async () => expect(await news(page).innerText()).toContain(said));
    };
    await did('pay', 'Pay: done');
    await page.getByRole('button', { name: en.dismiss }).click();
    await did('charge', 'Charge next month: done');
    await page.locator('.months .badge', { hasText: en['payment-PAID'] }).waitFor();
    await page.getByRole('button', { name: 'Let it fail: order-1001' }).click();
    await page.getByRole('button', { name: 'Let it fail', exact: true }).click();
    await until(async () => expect(await news(page).innerText()).toContain('Let it fail: done'));
    await page.locator('.months .badge', { hasText: en['payment-FAILED'] }).waitFor();
    await did('cancel-scheduled', 'Cancel the payment: done');
    await did('resend', 'Send again: done');
    await did('reverse', 'Reverse: done');
    await did('cancel-reversal', 'Cancel the reversal: done');
    await did('refund', 'Refund: done');
    expect(sandbox.transactions[0]).toMatchObject({ uuid, refunded: 59.7 });
    await page.getByRole('link', { name: 'Simulate' }).click();
    await page.getByRole('button', { name: 'Arm the fault' }).click();
    await until(async () => expect(await news(page).innerText()).toContain('Arm the fault: done'));
    await page.getByRole('button', { name: 'Remove: fault-1' }).click();
    await until(async () => expect(await news(page).innerText()).toContain('Remove: done'));
    await page.getByRole('link', { name: 'Listener' }).click();
    await page.getByLabel('Listener URL').fill('http://127.0.0.1:3001/hooks');
    await page.keyboard.press('Enter');
    await until(async () => expect(await news(page).innerText()).toContain('saved'));
  });

  it('that cancels names what it cancels; no button is only "Cancel"', async () => {
    const { page, create, sandbox } = await pageOf();
    sandbox.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('[data-control=cancel-scheduled]').click();
    const names = await page.locator('button').allInnerTexts();
    expect(names).toContain('Cancel the payment');
    expect(names.map((name) => name.trim())).not.toContain('Cancel');
    await page.getByRole('button', { name: 'Back' }).click();
    expect(sandbox.transactions[0]?.scheduledPayments.map(({ status }) => status)).not.toContain('CANCELLED');
  });

  it('that is one of three has three radio buttons', async () => {
    const { page, create, sandbox } = await pageOf();
    sandbox.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('[data-control=reverse]').click();
    const radios = page.locator('.story form').getByRole('radio');
    expect(await radios.count()).toBe(3);
    expect(await radios.nth(0).isChecked()).toBe(true);
    await radios.nth(0).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(() => expect(sandbox.transactions[0]?.reversals).toMatchObject([{ status: 'PAID' }]));
  });
});

describe.skipIf(isSkipped)('trouble can be seen', () => {
  it('of a paid sale without a listener: it says so, with the field to set it', async () => {
    const { page, create, sandbox, webhookUrl, received } = await pageOf({
      sandbox: { webhookUrl: undefined },
    });
    await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('.summary [data-control=pay]').click();
    await page.getByText(en.notSent).waitFor();
    await page.locator('.timeline [name=webhookUrl]').fill(webhookUrl);
    await page.keyboard.press('Enter');
    await until(() => expect(sandbox.webhookUrl).toBe(webhookUrl));
    await page.locator('.timeline form').waitFor({ state: 'detached' });
    await page.locator('[data-control=refund]').click();
    await page.keyboard.press('Enter');
    await until(() => expect(received).toHaveLength(1));
    expect(await page.getByText(en.notSent).count()).toBe(1);
  });

  it('of a delivery that failed or was given up: in the list, in the sale and on the tab, until it is delivered', async () => {
    const { page, create, sandbox, answerWith } = await pageOf({ sandbox: { retryIntervalMs: 1 } });
    answerWith(500);
    sandbox.pay(await create({ referenceCode: 'order-1' }));
    await create({ referenceCode: 'order-2' });
    await sandbox.idle();
    await page.getByRole('link', { name: 'Deliveries 1' }).waitFor();
    await page.locator('.items .badge', { hasText: 'notification given up' }).waitFor();
    await page.getByLabel('State').selectOption('TROUBLE');
    await until(async () => expect(await page.locator('.items li').count()).toBe(1));
    await page.getByRole('link', { name: /order-1/ }).click();
    await page.locator('.summary .badge', { hasText: 'notification given up' }).waitFor();
    answerWith(200);
    await page.locator('[data-control=resend]').click();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).waitFor();
    await until(async () => expect(await page.locator('.badge', { hasText: 'given up' }).count()).toBe(0));
  });
});

describe.skipIf(isSkipped)('what is wrong', () => {
  it('stands at its field, in the language and money of the page, without code or a document', async () => {
    const { page, create, sandbox } = await pageOf({ context: { locale: 'pt-BR' } });
    sandbox.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('[data-control=refund]').click();
    await page.keyboard.type('5000');
    await field(page, 'reason').fill('avaria');
    await page.keyboard.press('Enter');
    await page.locator('.story [aria-invalid=true]').waitFor();
    const described = await field(page, 'amount').getAttribute('aria-describedby');
    const said = await page.locator(`[id="${described}"]`).innerText();
    expect(said).toBe('Valor precisa estar acima de 0 e ser no máximo R$\u00a059,70, que é o que resta.');
    expect(await focused(page)).toContain('name="amount"');
    await page.getByRole('link', { name: 'Listener' }).click();
    await page.getByLabel('URL do listener').fill('localhost:3000');
    await page.keyboard.press('Enter');
    await page.getByText(pt.notUrl).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).not.toContain('`');
    expect(text).not.toContain('docs/');
  });
});

describe.skipIf(isSkipped)('the keyboard', () => {
  it('goes into what opens and back, and Escape closes it', async () => {
    const { page, create, sandbox } = await pageOf();
    sandbox.pay(await create());
    await page.getByRole('link', { name: /order-1001/ }).click();
    for (const control of ['refund', 'reverse', 'cancel-scheduled']) {
      await page.locator(`[data-control=${control}]`).focus();
      await page.keyboard.press('Enter');
      await until(async () => expect(await focused(page)).toMatch(/^<input/));
      await page.keyboard.press('Escape');
      await until(async () => expect(await focused(page)).toContain(`data-control="${control}"`));
    }
    const summary = page.getByText('Request as sent');
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.getByText('"newStatus": "PAID"').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.getByText('"newStatus": "PAID"').waitFor({ state: 'hidden' });
    expect(await focused(page)).toContain('Request as sent');
  });

  it('is never lost when the button that was pressed is gone', async () => {
    const { page, create } = await pageOf();
    await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    await page.locator('.summary [data-control=pay]').focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-control=refund]').waitFor();
    await until(async () => expect(await focused(page)).not.toMatch(/^<body/));
    await page.keyboard.press('Tab');
    expect(await focused(page)).toContain('data-control="refund"');
  });
});

describe.skipIf(isSkipped)('390 px', () => {
  it.each(['en-US', 'pt-BR'])(
    'cut no word and scroll nothing sideways, on any tab, in %s',
    async (locale) => {
      const { page, create, sandbox, answerWith, call } = await pageOf({
        sandbox: { inventions: { recurrenceEvents: 'events' } },
        context: { locale, viewport: { width: 390, height: 844 } },
      });
      answerWith(503);
      const uuid = await create({ amount: 1129.9 });
      sandbox.pay(uuid);
      sandbox.charge(uuid, { fails: 'AM04', willRetry: true });
      sandbox.charge(uuid);
      sandbox.charge(uuid, { fails: 'AG03' });
      sandbox.payOut({ amount: 1, fail: 'PE0003' });
      sandbox.fault('getTransaction', { kind: 'status', status: 503 });
      sandbox.fault('getTransaction', { kind: 'wrong-pair', status: 403 });
      await call('GET', '/v1.1/transactions/nope');
      for (const place of [
        'sales',
        `sales/${uuid}`,
        'sales/new',
        'deliveries',
        'calls',
        'simulate',
        'listener',
      ]) {
        await page.goto(`${sandbox.url}/#${place}`);
        await page.waitForTimeout(400);
        expect(await page.evaluate('document.documentElement.scrollWidth'), place).toBe(390);
        expect(await page.evaluate(CUT), place).toEqual([]);
      }
    },
  );
});

/**
 * Whatever hides a part of its own text, a title that runs under its badge, a name that breaks, or a time that is not beside its
 * title; except code, which scrolls, and a reference, whose link shows all of it.
 */
const CUT = `[...document.querySelectorAll('header *, nav *, main *')]
  .filter((one) => one.checkVisibility() && !one.matches('pre, textarea, input, .for-readers, .live, .cut'))
  .filter((one) => one.matches('select')
    ? one.offsetWidth < Math.max(...[...one.options].map((option) => option.text.length)) * 7
    : (one.matches('.told code') && one.offsetHeight > 30) ||
      (one.matches('.first:not(:has(.badge)) > time') && one.offsetTop > one.previousElementSibling.offsetTop + 6) ||
      (one.matches('.card, .first > strong') || getComputedStyle(one).overflowX !== 'visible') && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 100))`;
