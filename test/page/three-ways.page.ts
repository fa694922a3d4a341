import { sequentialIds } from 'pix-automatic-sdk/sandbox';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../helpers/run-command';
import { isSkipped } from './browser';
import { press, until, useBrowser } from './open-page';
import type { openScene } from './scene';

// A control is one object: its route, its command and its form make the same move, and send the same bytes.

const open = useBrowser();

/** A move of a recurrence in three ways. */
interface Ways {
  readonly control: string;
  /** What happens first. */
  readonly before: (scene: Scene, uuid: string) => void;
  readonly body?: object;
  readonly path: string;
  readonly command: string;
  readonly click: (page: Page) => Promise<void>;
}

type Scene = Awaited<ReturnType<typeof openScene>>;

const nothing = () => undefined;
const paid = ({ sandbox }: Scene, uuid: string) => void sandbox.pay(uuid);
const pressed = (name: string) => (page: Page) => press(page, `${name}: order-1001`);

const letFail = (isRetried: boolean) => async (page: Page) => {
  await press(page, 'Let it fail: order-1001');
  await page.locator('form[data-control=charge] [name=fails]').selectOption('AM04');
  if (isRetried) await page.locator('form[data-control=charge] [name=retry]').check();
  await press(page, 'Let it fail');
};

const all: readonly Ways[] = [
  { control: 'pay', before: nothing, path: 'pay', command: 'pay', click: pressed('Pay') },
  {
    control: 'authorize',
    before: nothing,
    path: 'authorize',
    command: 'authorize',
    click: pressed('Authorize'),
  },
  { control: 'charge', before: paid, path: 'charge', command: 'charge', click: pressed('Charge next month') },
  {
    control: 'charge that fails',
    before: paid,
    path: 'charge',
    body: { fails: 'AM04' },
    command: 'charge --fails AM04',
    click: letFail(false),
  },
  {
    control: 'charge that fails and is tried again',
    before: paid,
    path: 'charge',
    body: { fails: 'AM04', retry: true },
    command: 'charge --fails AM04 --retry',
    click: letFail(true),
  },
  {
    control: 'cancel-recurrence',
    before: paid,
    path: 'recurrence/cancel',
    command: 'cancel-recurrence',
    click: pressed('Payer cancels'),
  },
  {
    control: 'conclude-recurrence',
    before: paid,
    path: 'recurrence/conclude',
    command: 'conclude-recurrence',
    click: pressed('Period is over'),
  },
  {
    control: 'reject-recurrence',
    before: nothing,
    path: 'recurrence/reject',
    command: 'reject-recurrence',
    click: pressed('Payer refuses'),
  },
  {
    control: 'expire-recurrence',
    before: nothing,
    path: 'recurrence/expire',
    command: 'expire-recurrence',
    click: pressed('Not answered in time'),
  },
];

describe.skipIf(isSkipped)('over HTTP, by its command and on the page, the same comes of', () => {
  it.each(all.map((ways) => [ways.control, ways] as const))('%s', async (_control, ways) => {
    const { before, path, body, command, click } = ways;
    const move = async (make: (scene: Scene, uuid: string, page: Page) => Promise<unknown>) => {
      const { scene, page } = await open({
        sandbox: {
          inventions: { recurrenceEvents: 'events' },
          ids: sequentialIds(),
          now: () => Date.UTC(2031, 0, 1, 15),
        },
      });
      const { sandbox } = scene;
      const uuid = await scene.create();
      before(scene, uuid);
      await sandbox.idle();
      const sent = sandbox.deliveries.length;
      await make(scene, uuid, page);
      await until(() => expect(sandbox.deliveries.length).toBeGreaterThan(sent));
      await sandbox.idle();
      const payloads = sandbox.deliveries.map(({ payload }) => JSON.stringify(payload));
      return { payloads, transactions: sandbox.transactions };
    };
    const overHttp = await move(({ call }, uuid) =>
      call('POST', `/sandbox/transactions/${uuid}/${path}`, body),
    );
    const byCommand = await move(async ({ sandbox }) => {
      const { apiKey, apiToken } = sandbox.credentials;
      const env = { PAYMENTS_API_KEY: apiKey, PAYMENTS_API_TOKEN: apiToken };
      const run = await runCommand([...command.split(' '), '--sandbox', sandbox.url], env);
      expect(run).toMatchObject({ status: 0, stderr: '' });
    });
    const onThePage = await move(async (_scene, _uuid, page) => {
      await page.getByRole('link', { name: /order-1001/ }).click();
      await click(page);
    });
    expect(byCommand).toEqual(overHttp);
    expect(onThePage).toEqual(overHttp);
  });
});
